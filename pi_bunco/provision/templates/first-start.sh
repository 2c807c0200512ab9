#!/bin/sh
# The first start of a Pi, and each later one: cloud-init runs this file from the boot partition.
#
#   begin SSH ZONE     as bootcmd: does all anew where a power cut left files of the first start empty
#   install SSH ZONE   as a unit of its own: the package on the card; says what is wrong where a host can see it
#   card               in place of both, where there is no cloud-init: on the image of systemd/image
#
# Nothing of it lies where a power cut could leave half of it. `begun` and `whole` hold the ids of the card that
# cloud-init began to carry out and of the one that is on the disk, `package` the digest of the packages that were installed.
card=/boot/firmware
log=$card/pi-bunco-first-start.log
marks=/var/lib/pi-bunco-card
kept=/var/lib/pi-bunco/packages
details=/run/pi-bunco-first-start.details
unit=pi-bunco-first-start.service
NO_INTERNET=2 NO_PACKAGE=5 NO_ROLE=6
PAUSE_S=15
warned='' blinked='' online=''
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

mark() { cat "$marks/$1" 2>/dev/null; }

# Stores a mark when all that it stands for is on the disk.
store() {
    [ "$(mark "$1")" != "$2" ] || return 0
    mkdir -p $marks
    sync
    echo "$2" >"$marks/$1"
    sync
}

begin() {
    # cloud-init notes what it has done before the files are on the disk, so after a cut it would leave them empty for ever.
    if [ "$(mark begun)" = "$INSTANCE_ID" ]; then
        [ "$(mark whole)" = "$INSTANCE_ID" ] || again
    else
        rm -rf "/var/lib/cloud/instances/$INSTANCE_ID/sem" # of a time when this Pi had that card before
        if [ ! -s /etc/netplan/50-cloud-init.yaml ] && [ "$(mark again)" != "$INSTANCE_ID" ]; then
            store again "$INSTANCE_ID" # once, in case that there is no netplan
            again
        fi
        store begun "$INSTANCE_ID"
    fi
    # After what the card says of names and users; a network is not waited for.
    systemd-run --quiet --no-block --unit=$unit --property="After=cloud-init-network.service cloud-init.service" \
        --property="Description=Bunco: install the package that came on the card" \
        --setenv=INSTANCE_ID="$INSTANCE_ID" sh $card/pi-bunco-first-start.sh install "$@"
}

card() {
    INSTANCE_ID=$(sed -n 's/^instance-id: //p' $card/meta-data)
    root rw
    if [ "$(mark whole)" != "$INSTANCE_ID" ]; then
        seeded
        systemctl --no-block try-restart avahi-daemon.service # it tells the network the name that this Pi has now
        netplan apply
    fi
    # shellcheck disable=SC2046  # two words
    install $(sed -n 's/^- ".* begin \(.*\)"$/\1/p' $card/user-data)
    sync
    root ro
}

# The root of the image is read-only but for this script.
root() { ! grep -qs "^LABEL=root .* ro," /etc/fstab || mount -o "remount,$1" /; }

# Does what cloud-init would do with the files of the card.
seeded() {
    python3 - $card <<'END'
import pathlib, shutil, subprocess, sys, yaml

card = pathlib.Path(sys.argv[1])
user = yaml.safe_load((card / "user-data").read_text("utf-8"))
pathlib.Path("/etc/hostname").write_text(user["hostname"] + "\n")
subprocess.run(["hostname", user["hostname"]])
for file in user.get("write_files", ()):
    path, old = pathlib.Path(file["path"]), ""
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.get("append"):
        old = path.read_text("utf-8").replace(file["content"], "")
    path.write_text(old + file["content"], "utf-8")
for key in user["users"][0].get("ssh_authorized_keys", ()):
    subprocess.run(["ssh-keygen", "-A"])
    folder = pathlib.Path("/home/bunco/.ssh")
    folder.mkdir(0o700, exist_ok=True)
    (folder / "authorized_keys").write_text(key + "\n", "utf-8")
    for path in (folder, folder / "authorized_keys"):
        shutil.chown(path, "bunco", "bunco")
network = pathlib.Path("/etc/netplan/50-cloud-init.yaml")
network.touch(0o600)
network.write_bytes((card / "network-config").read_bytes())
END
}

again() {
    cloud-init clean
    rm -f $marks/begun
    sync
    reboot -f -f
}

install() {
    # cloud-init tells its log the network at each start, the password of the Wi-Fi with it.
    if [ -e /var/log/cloud-init.log ]; then
        grep -v access-points /var/log/cloud-init.log >/run/cloud-init/log
        cat /run/cloud-init/log >/var/log/cloud-init.log
        rm -f /run/cloud-init/log
    fi
    if [ "$(mark whole)" != "$INSTANCE_ID" ]; then
        systemctl disable --now userconfig.service # the wizard for a user, on a screen that nobody looks at
        systemctl "$1" --now ssh.service           # runs where somebody has a key
        ln -sfn "/usr/share/zoneinfo/$2" /etc/localtime
        echo "$2" >/etc/timezone
        store whole "$INSTANCE_ID"
    fi
    until packaged && adopted; do blink; done
    [ -n "$warned" ] || [ ! -e $log ] || rm -f $log
    [ -z "$blinked" ] || led trigger mmc0
    [ ! -e /run/pi-bunco-adopt/restart ] || systemctl --no-block reboot # what the firmware reads at a start only
}

status() { dpkg-query --show --showformat='${db:Status-Status} ${db:Status-Eflag}' "$1" 2>/dev/null; }

# The file among these packages with the highest version; nothing where none of them is there.
newest() {
    best=''
    for file in "$@"; do
        [ -e "$file" ] || continue
        version=${file##*/pi-bunco_} && version=${version%_all.deb}
        if [ -z "$best" ] || dpkg --compare-versions "$version" gt "$highest"; then
            best=$file highest=$version
        fi
    done
    echo "$best"
}

# Sees to it that the package of the card is installed, or after a cut in an upgrade the one before or that of the card.
packaged() {
    set -- $card/pi-bunco/pi-bunco_*_all.deb
    on_card=$(newest "$@")
    [ $# = 1 ] || warn "There are $# packages of Bunco in the folder pi-bunco on this card; the newest one, ${on_card##*/}, counts. To go back to an older one, delete the newer ones there."
    digest=$(cat $card/pi-bunco/*.deb 2>/dev/null | sha256sum)
    [ -n "$on_card" ] && [ "$digest" != "$(mark package)" ] && new=yes || new=no
    case "$new $(status pi-bunco)" in
    "no installed ok") return 0 ;;
    "no " | "no not-installed "* | "no config-files ok")
        [ -z "$(mark package)" ] || return 0 # somebody has taken it away
        tell $NO_PACKAGE "There is no package pi-bunco on this card. Copy this Pi's folder onto the card again, made with --packages."
        return 1
        ;;
    yes*) try="$on_card kept" ;; # the one that an upgrade keeps is not there before it
    *) try="kept $on_card" ;;
    esac
    : >$details
    mend >>$details 2>&1
    [ "$new $(status pi-bunco)" != "no installed ok" ] || return 0
    for source in $try; do
        [ "$source" = kept ] && some=$(ls -t $kept/*.deb 2>/dev/null) || some=$source
        for package in $some; do
            put "$package" >>$details 2>&1 || continue
            if [ "$new" = no ] || [ "$package" = "$on_card" ]; then
                store package "$digest"
            else
                warn "The package on this card could not be installed; the one of before goes on. Write the card with another package."
            fi
            return 0
        done
    done
    if [ "$(status pi-bunco)" = "installed ok" ]; then
        warn "The package on this card could not be installed; the one of before goes on. If it needs other packages, plug in a cable from a router once."
    elif [ -n "$online" ] || { [ -n "$on_card" ] && [ -z "$(missing "$on_card")" ]; }; then
        tell $NO_PACKAGE "The package on this card cannot be installed. Write the card anew; if that does not help, the file pi-bunco-first-start.log on it says why."
        return 1
    else
        tell $NO_INTERNET "This Pi needs the internet once, to install what its package needs. Plug in a cable from a router, or put all packages on the card (README.txt). It tries again by itself."
        return 1
    fi
}

# Whatever a cut left half-way keeps apt from doing anything at all.
mend() {
    dpkg --configure -a
    for name in $(dpkg-query --show --showformat='${db:Status-Eflag} ${Package}\n' | sed -n 's/^reinstreq //p'); do
        archive=$(ls $card/pi-bunco/"${name}"_*.deb 2>/dev/null | head -n 1)
        [ "$name" = pi-bunco ] || { [ -n "$archive" ] && dpkg --unpack "$archive"; } ||
            dpkg --remove --force-remove-reinstreq --force-depends "$name"
    done
}

# Installs a package and what it needs, from the card alone where that is enough, else from the internet.
put() {
    dpkg-deb --info "$1" >/dev/null || return 1
    case "$(status pi-bunco)" in
    "" | "installed ok" | "not-installed "* | "config-files ok") ;;
    *) dpkg --unpack "$1" || dpkg --unpack --force-all "$1" || return 1 ;;
    esac
    package=$1
    set -- "$package"
    for other in $card/pi-bunco/*.deb; do
        case "$other" in */pi-bunco_*) continue ;; esac
        [ "$(status "$(dpkg-deb --field "$other" Package)")" = "installed ok" ] || set -- "$@" "$other"
    done
    get "$@" --option Dir::Etc::SourceList=/dev/null --option Dir::Etc::SourceParts=/dev/null \
        --option Dir::State::Lists=/run/pi-bunco-no-lists && return
    if [ -z "$(missing "$package")" ]; then # then dpkg does it where apt says no, or nothing does
        dpkg --install "$package"
        return
    fi
    nm-online --quiet --timeout=60
    apt-get update --option APT::Update::Error-Mode=any && online=yes
    get "$@"
}

get() { apt-get install --yes --no-install-recommends --allow-downgrades --reinstall --fix-broken --option DPkg::Lock::Timeout=120 "$@"; }

# Packages that this one needs and that are not here.
missing() {
    dpkg-deb --field "$1" Depends | tr ',' '\n' | sed 's/[(|:].*//; s/ //g' | while read -r name; do
        [ "$(status "$name")" = "installed ok" ] || echo "$name"
    done
}

# Takes over pi-bunco.toml and the secrets with it.
adopted() {
    [ -x /usr/bin/pi-bunco ] || return 0
    systemctl start pi-bunco-adopt.service && return
    journalctl --boot --unit=pi-bunco-adopt.service --lines=20 --output=cat >$details
    why=$(sed -n 's/^pi-bunco adopt: //p' $details | tail -n 1)
    tell $NO_ROLE "The file pi-bunco.toml on this card cannot be used: ${why:-it was not read within 5 minutes. This Pi tries again by itself.}"
    return 1
}

# A sentence for the screen, for the log on the boot partition and for the journal, and a code for the light.
tell() {
    code=$1
    printf '\n\n   Bunco: %s\n\n' "$2" >/dev/tty1
    note "$2"
}

# The same where all goes on as before.
warn() {
    warned=yes
    note "$1"
}

note() {
    echo "$1"
    { echo "$1" && echo && tail -n 40 $details; } 2>/dev/null | tr -d '\r' >/run/pi-bunco-first-start.log
    cmp -s /run/pi-bunco-first-start.log $log || { cp /run/pi-bunco-first-start.log $log && sync $log; }
}

led() { for light in /sys/class/leds/ACT /sys/class/leds/led0; do [ ! -w $light/trigger ] || echo "$2" >$light/"$1"; done; }

# The light blinks in groups of `code` until the next try.
blink() {
    blinked=yes
    led trigger none
    for _ in 1 2 3; do
        for _ in $(seq "$code"); do
            led brightness 1 && sleep 0.3 && led brightness 0 && sleep 0.3
        done
        sleep $((PAUSE_S / 5))
    done
}

"$@" 2>&1

"""BlueZ on a D-Bus of its own, with dice in reach of its radio, for whatever finds BlueZ by D-Bus."""

import asyncio
import subprocess
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Self

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from devices.radio_dies import Die

ADAPTER = "/org/bluez/hci0"
_CONFIG = """<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
</policy></busconfig>"""
ADVERTISE_EVERY_S = 0.05
_PATIENCE_S = 60.0
Properties = dict[str, Variant]


class FakeBlueZ:
    """The daemon and its dice by their addresses; `env` leads a program to it, on its own thread."""

    def __init__(self, folder: Path, dice: dict[str, Die]) -> None:
        self._config = folder / "bus.conf"
        self._socket = folder / "bus"
        self._config.write_text(_CONFIG.format(socket=self._socket))
        self.env = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self._socket}"}
        self.question: Callable[[str, bytes], None] = self._answer_question
        """Called with the address of a die and what it is asked."""
        self._asked: set[str] = set()
        self._away: set[str] = set()
        self._addresses = {_path(address): address for address in dice}
        self._dice = {_path(address): die for address, die in dice.items()}
        self._objects: dict[str, dict[str, Properties]] = {
            ADAPTER: {
                "org.bluez.Adapter1": {
                    "Address": Variant("s", "00:00:00:00:00:01"),
                    "Powered": Variant("b", True),
                    "Roles": Variant("as", ["central"]),
                }
            }
        }
        for address, die in dice.items():
            self._add(address, die)
        self._notifies: set[str] = set()
        self._discovers = False
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bluez")

    def __enter__(self) -> Self:
        self._thread.start()
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def begin(self) -> None:
        """Starts the bus and BlueZ on it."""
        self._socket.unlink(missing_ok=True)
        command = ["dbus-daemon", f"--config-file={self._config}", "--nofork", "--print-address"]
        self._daemon = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._daemon.stdout
        assert self._daemon.stdout.readline()
        self._run(self._serve())

    def end(self) -> None:
        """Ends the bus, and with it BlueZ."""
        self._run(self._leave())
        self._daemon.terminate()
        self._daemon.communicate()

    def throw(self, faces: dict[str, int]) -> None:
        """These dice are thrown and lie on these faces."""
        for address, face in faces.items():
            die = self._dice[_path(address)]
            for data in (*die.rolls(), *die.lies(face)):
                self.notify(address, data)

    def notify(self, address: str, data: bytes) -> None:
        """The die says something."""
        self._loop.call_soon_threadsafe(self._notify, _path(address), data)

    def break_link(self, address: str, away: bool = False) -> None:
        """The die leaves the radio's range; it comes back at once, or when it does."""
        if away:
            self._away.add(_path(address))
        self._loop.call_soon_threadsafe(self._unlink, _path(address))

    def come_back(self, address: str) -> None:
        """The die is in the radio's range."""
        self._away.discard(_path(address))

    def until_read(self, *addresses: str) -> None:
        """Waits until these dice have been asked for their batteries, what is asked last."""
        wanted = {_path(address) for address in addresses}
        with self._changed:
            assert self._changed.wait_for(lambda: wanted <= self._asked, _PATIENCE_S)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_S)

    async def _serve(self) -> None:
        self._bus = await MessageBus(self.env["DBUS_SYSTEM_BUS_ADDRESS"]).connect()
        self._bus.add_message_handler(self._answer)
        await self._bus.request_name("org.bluez")

    async def _leave(self) -> None:
        for device in self._dice:
            self._unlink(device)
        self._bus.disconnect()

    def _add(self, address: str, die: Die) -> None:
        model, path = die.model, _path(address)
        name = f"{model.name}_{address.replace(':', '')[-6:]}"
        uuids = [f"{model.notifies[:4]}0001{model.notifies[8:]}", "0000180a-0000-1000-8000-00805f9b34fb"]
        self._objects[path] = {
            "org.bluez.Device1": {
                "Address": Variant("s", address),
                "AddressType": Variant("s", "random"),
                "Name": Variant("s", name),
                "Alias": Variant("s", name),
                "Adapter": Variant("o", ADAPTER),
                "Paired": Variant("b", False),
                "Connected": Variant("b", False),
                "ServicesResolved": Variant("b", False),
                "UUIDs": Variant("as", uuids),
            }
        }
        service = f"{path}/service0001"
        self._objects[service] = {
            "org.bluez.GattService1": {
                "UUID": Variant("s", uuids[0]),
                "Device": Variant("o", path),
                "Primary": Variant("b", True),
                "Includes": Variant("ao", []),
            }
        }
        for end, uuid, flags in (
            ("char0002", model.notifies, ["notify"]),
            ("char0004", model.takes, ["write"]),
        ):
            self._objects[f"{service}/{end}"] = {
                "org.bluez.GattCharacteristic1": {
                    "UUID": Variant("s", uuid),
                    "Service": Variant("o", service),
                    "Flags": Variant("as", flags),
                    "Value": Variant("ay", b""),
                    "Notifying": Variant("b", False),
                }
            }

    def _answer(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        device = "/".join((message.path or "").split("/")[:5])
        match message.member:
            case "GetManagedObjects":
                return Message.new_method_return(message, "a{oa{sa{sv}}}", [self._objects])
            case "StartDiscovery":
                self._discovers = True
                self._advertise()
            case "StopDiscovery":
                self._discovers = False
            case "Connect":
                self._link(device, True)
            case "Disconnect":
                self._unlink(device)
            case "StartNotify":
                self._notifies.add(device)
            case "WriteValue":
                self.question(self._addresses[device], question := bytes(message.body[0]))
                if question == self._dice[device].model.battery:
                    self._note(lambda: self._asked.add(device))
            case "SetDiscoveryFilter" | "StopNotify":
                pass
            case _:
                return None
        return Message.new_method_return(message)

    def _advertise(self) -> None:
        """Every die that nobody reads is heard, again and again."""
        if not self._discovers or not self._bus.connected:
            return
        for device in set(self._dice) - self._notifies - self._away:
            uuids = self._objects[device]["org.bluez.Device1"]["UUIDs"]
            self._tell(device, "org.bluez.Device1", {"RSSI": Variant("n", -50), "UUIDs": uuids})
        self._loop.call_later(ADVERTISE_EVERY_S, self._advertise)

    def _answer_question(self, address: str, question: bytes) -> None:
        for data in self._dice[_path(address)].answer(question):
            self._notify(_path(address), data)

    def _note(self, change: Callable[[], object]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    def _notify(self, device: str, data: bytes) -> None:
        if device in self._notifies:
            value: Properties = {"Value": Variant("ay", data)}
            self._tell(f"{device}/service0001/char0002", "org.bluez.GattCharacteristic1", value)

    def _link(self, device: str, linked: bool) -> None:
        state = Variant("b", linked)
        self._tell(device, "org.bluez.Device1", {"Connected": state, "ServicesResolved": state})

    def _unlink(self, device: str) -> None:
        if self._objects[device]["org.bluez.Device1"]["Connected"].value:
            self._notifies.discard(device)
            self._note(lambda: self._asked.discard(device))
            self._link(device, False)

    def _tell(self, path: str, interface: str, changed: Properties) -> None:
        self._objects[path][interface].update(changed)
        self._bus.send(
            Message.new_signal(
                path,
                "org.freedesktop.DBus.Properties",
                "PropertiesChanged",
                "sa{sv}as",
                [interface, changed, []],
            )
        )


def _path(address: str) -> str:
    return f"{ADAPTER}/dev_{address.replace(':', '_')}"

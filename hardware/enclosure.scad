// Four boxes, printed or (lid, floor and sides) cut from plywood: a table's panel with Pi and HAT, the dice box,
// the bell box, the 12 V box. Each is a tray and a lid; no part is over 180 mm.
//   openscad -o lid.stl  -D 'box="panel"' -D 'part="lid"' enclosure.scad      box: panel, dice, bell, horn
//   openscad -o tray.stl -D 'box="panel"' -D 'part="tray"' enclosure.scad
//   openscad -o lid.svg  -D 'box="panel"' -D 'part="drawing"' enclosure.scad  for a laser cutter: lid, floor, sides
// part = "clash" is what two things in a box would share, seen from above: nothing, a test says.
// part = "layers" is what `exploded.py` draws: each layer of tray and lid, and what comes in between.
// The holes and the boards come from pins.toml and the boards' code: `python hardware/draw.py` writes panel-holes.scad.
include <panel-holes.scad>

box = "panel";
part = "lid";     // lid, tray, drawing, clash or layers
clearance = 0.4;  // between parts that slide into each other; more for a printer that is not exact (mm)
thick = 3;        // of lid and walls (mm)
gland = 12.5;     // hole of a PG7 gland (mm)
nut = [21, 8];    // of a gland, within the box: across its corners, and how far it reaches (mm)
cable = [6.5, 25]; // behind the nut: as thick as the gland takes, and straight before it bends (mm)
pillar = 9;       // in each corner, for a screw of 3 x 12 mm
screw_deep = 14;  // of the hole in a pillar (mm)
lip = 3;          // of the lid, into the tray
engraved = 0.6;   // depth of the names (mm)
$fn = part == "layers" ? 20 : 32;

// For each box: inner size; boards with their place, the height of the floor's stands and quarter turns against the
// clock; holes of the lid; glands as [wall 0 to 3 from the front against the clock, along it]; words on the lid;
// what else lies on the floor, as [x, y, width, depth, height].
function size(name) =
  name == "panel" ? [panel[0] - 2 * thick, panel[1] - 2 * thick, 74] :
  name == "dice" ? [136, 170, 52] :
  name == "bell" ? [172, 76, 44] : [170, 148, 72];
function boards_in(name) =
  name == "panel" ? [[hat, [130, 26], 6, 1], [pi, [130, 26], 6, 1]] :
  name == "dice" ? [[dice_board, [5, 78], 6, 0]] :
  name == "bell" ? [[bell_board, [30, 12], 6, 0]] : [[bell_board, [30, 86], 6, 0]];
function glands(name) =
  name == "panel" ? [[2, 30], [2, 60], [2, 150]] :
  name == "dice" ? [[0, 30]] :
  name == "bell" ? [[3, 55], [1, 20], [1, 56]] : [[1, 20], [1, 50], [1, 110], [3, 110]];
function lid_holes(name) =
  name == "panel" ? [for (hole = holes) if (hole[2] > 4) hole] :
  name == "dice" ? concat([for (at = pips) [at[0] + 5 + thick, at[1] + 78 + thick, 5]], [roll]) :
  name == "bell" ? [[152, 40, 12]] : [[150, 30, 12], [120, 30, 20]];
roll = [68 + thick, 34 + thick, 30];
function words(name) =
  name == "panel" ? names :
  name == "dice" ? [[roll[0], 10 + thick, 6, "ROLL"]] :
  name == "bell" ? [[75, 60, 8, "BELL"], [152, 54, 5, "ARM"]] :
  [[60, 130, 8, "HORN 12 V"], [150, 44, 5, "ARM"], [120, 48, 5, "OFF"]];
function loose(name) = name == "horn" ? [[12, 12, 30, 45, 45], [50, 12, 40, 30, 30]] : [];  // K4, F1

// The shape of each part at a height, which makes the solids, the layers of the exploded view and the clash.
function top(name) = thick + size(name)[2];
function sorted(list) = len(list) < 2 ? list :
  concat(sorted([for (one = list) if (one < list[0]) one]), [list[0]], sorted([for (one = list) if (one > list[0]) one]));
function stands(name) = [
  for (entry = boards_in(name), hole = entry[0][2])
    [turned(entry, [hole[0], hole[1]]), hole[2] - 0.5, thick + entry[2] + hole[3]]
];
function tray_levels(name) =
  sorted(concat([0, thick, top(name) - screw_deep, top(name)], [for (stand = stands(name)) stand[2]]));
lid_levels = [-lip, 0, thick - engraved, thick];

module outside(name) { square([size(name)[0] + 2 * thick, size(name)[1] + 2 * thick]); }
module inside(name) { translate([thick, thick]) square([size(name)[0], size(name)[1]]); }
module corners(name) {
  s = size(name);
  for (x = [thick, thick + s[0] - pillar], y = [thick, thick + s[1] - pillar]) translate([x, y]) children();
}
module screws(name, d) { corners(name) translate([pillar / 2, pillar / 2]) circle(d = d); }

module tray_at(name, z) {
  if (z > 0 && z < thick) outside(name);
  if (z > thick && z < top(name)) {
    difference() {
      union() {
        difference() { outside(name); inside(name); }
        corners(name) square(pillar);
      }
      if (z > top(name) - screw_deep) screws(name, 2.5);
    }
    for (stand = stands(name)) if (z < stand[2]) translate(stand[0]) difference() {
      circle(d = 6);
      circle(d = stand[1]);
    }
  }
}
module front(name) {
  difference() {
    outside(name);
    screws(name, 3.4);
    for (hole = lid_holes(name)) translate([hole[0], hole[1]]) circle(d = hole[2]);
    if (name == "panel") translate([window[0], window[1]]) square([window[2], window[3]]);
  }
}
module print(name) {
  for (word = words(name)) translate([word[0], word[1]])
    text(word[3], size = word[2], halign = "center", valign = "center", font = "DejaVu Sans", $fn = 4);
}
module rim(name) {
  difference() {
    offset(delta = -clearance) inside(name);
    offset(delta = -clearance - 2) inside(name);
    corners(name) translate([-2, -2]) square(pillar + 4);
    if (name == "panel") for (hole = lid_holes(name)) translate([hole[0], hole[1]]) circle(d = hole[2] + 6);
  }
}
module lid_at(name, z) {  // z from the lid's lower face
  if (z > -lip && z < 0) rim(name);
  if (z > 0 && z < thick - engraved) front(name);
  if (z > thick - engraved && z < thick) difference() { front(name); print(name); }
}

module stack(levels) {
  for (i = [0 : len(levels) - 2]) {
    sunk = i == 0 ? 0 : 0.01;
    $z = (levels[i] + levels[i + 1]) / 2;
    translate([0, 0, levels[i] - sunk]) linear_extrude(levels[i + 1] - levels[i] + sunk) children();
  }
}
module lid(name) {  // the names are cut out of one plate: that is rendered four times as fast as two plates
  difference() {
    stack([-lip, 0, thick]) lid_at(name, $z);
    translate([0, 0, thick - engraved]) linear_extrude(1) print(name);
  }
}
module tray(name) {
  difference() {
    stack(tray_levels(name)) tray_at(name, $z);
    for (one = glands(name)) at_wall(name, one) cylinder(d = gland, h = thick + 2);
  }
}
module at_wall(name, one) {
  s = size(name);
  if (one[0] == 0) translate([thick + one[1], thick + 1, thick + s[2] / 2]) rotate([90, 0, 0]) children();
  if (one[0] == 2) translate([thick + one[1], s[1] + 2 * thick + 1, thick + s[2] / 2]) rotate([90, 0, 0]) children();
  if (one[0] == 1) translate([s[0] + thick - 1, thick + one[1], thick + s[2] / 2]) rotate([0, 90, 0]) children();
  if (one[0] == 3) translate([-1, thick + one[1], thick + s[2] / 2]) rotate([0, 90, 0]) children();
}

// All that comes into a box, as [owner, kind, x, y, width, depth, from z, to z]; a button and a light are round.
function turned(entry, at) = [
  thick + entry[1][0] + (entry[3] == 0 ? at[0] : -at[1]),
  thick + entry[1][1] + (entry[3] == 0 ? at[1] : at[0])
];
function body(entry, owner, kind, at, low, high) =
  let (corner = turned(entry, entry[3] == 0 ? [at[0], at[1]] : [at[0], at[1] + at[3]]))
  [owner, kind, corner[0], corner[1], at[entry[3] == 0 ? 2 : 3], at[entry[3] == 0 ? 3 : 2],
   thick + entry[2] + entry[0][1] + low, thick + entry[2] + entry[0][1] + high];
function of_board(entry, owner) = concat(
  [body(entry, owner, "board", [0, 0, entry[0][0][0], entry[0][0][1]], 0, 1.6)],
  [for (at = entry[0][3]) body(entry, owner, "part", at, 1.6, 1.6 + at[4])],
  [for (at = entry[0][4]) body(entry, owner, "plug", at, 1.6, 1.6 + at[4])]
);
function round_one(name, owner, kind, hole, d, deep) =
  [owner, kind, hole[0] - d / 2, hole[1] - d / 2, d, d, top(name) - deep, top(name)];
function behind(name) = concat(
  [for (hole = lid_holes(name)) if (hole[2] > 10)
    round_one(name, "lid's", "button", hole, hole[2] + 5, hole[2] > 20 ? 34 : 30)],
  name != "panel" ? [] : concat(
    [for (hole = lid_holes(name)) if (hole[2] < 10) round_one(name, "lid's", "light", hole, 6, 14)],
    [["display", "display", window[0] + (window[2] - display[0]) / 2, window[1] + (window[3] - display[1]) / 2,
      display[0], display[1], top(name) - display[2], top(name)]]
  )
);
function inward(name, one, d, from, to) =  // the box around a cable from a wall's inner face
  let (s = size(name), z = thick + s[2] / 2, along = thick + one[1] - d / 2)
  one[0] == 0 ? ["cable", "cable", along, thick + from, d, to - from, z - d / 2, z + d / 2] :
  one[0] == 2 ? ["cable", "cable", along, thick + s[1] - to, d, to - from, z - d / 2, z + d / 2] :
  one[0] == 1 ? ["cable", "cable", thick + s[0] - to, along, to - from, d, z - d / 2, z + d / 2] :
  ["cable", "cable", thick + from, along, to - from, d, z - d / 2, z + d / 2];
function cables(name) = [
  for (one = glands(name)) each [inward(name, one, nut[0], 0, nut[1]), inward(name, one, cable[0], nut[1], nut[1] + cable[1])]
];
function things(name) = concat(
  [for (i = [0 : len(boards_in(name)) - 1]) each of_board(boards_in(name)[i], str("board ", i + 1))],
  [for (at = loose(name)) ["floor", "part", thick + at[0], thick + at[1], at[2], at[3], thick, thick + at[4]]],
  behind(name), cables(name)
);
owners = ["tray", "lid", "board 1", "board 2", "floor", "lid's", "display", "cable"];

module outline(thing, more) {
  translate([thing[2] - more, thing[3] - more])
    if (thing[1] == "button" || thing[1] == "light") translate([thing[4] / 2, thing[4] / 2]) circle(d = thing[4] + 2 * more);
    else square([thing[4] + 2 * more, thing[5] + 2 * more]);
}
module at_height(name, owner, z) {
  if (owner == "tray") tray_at(name, z);
  else if (owner == "lid") lid_at(name, z - top(name));
  else for (thing = things(name)) if (thing[0] == owner && z > thing[6] && z < thing[7])
    outline(thing, owner == "lid's" || owner == "display" || owner == "cable" ? 0 : clearance);
}
module clash(name, pairs = [for (i = [0 : 7], j = [0 : 7]) if (i < j) [owners[i], owners[j]]]) {
  levels = sorted(concat(
    tray_levels(name), [for (z = lid_levels) z + top(name)], [for (thing = things(name)) each [thing[6], thing[7]]]
  ));
  for (i = [0 : len(levels) - 2], pair = pairs) if (levels[i + 1] - levels[i] > 0.02) intersection() {
    at_height(name, pair[0], (levels[i] + levels[i + 1]) / 2);
    at_height(name, pair[1], (levels[i] + levels[i + 1]) / 2);
  }
}

// Beside each other: the tray's layers from below, then the lid's.
module layers(name) {
  echo(levels = tray_levels(name), lid_levels = lid_levels, top = top(name));
  echo(size = size(name), glands = [for (one = glands(name)) [one[0], one[1], gland, thick + size(name)[2] / 2]]);
  for (thing = things(name)) echo(thing = thing);
  trays = tray_levels(name);
  for (i = [0 : len(trays) - 2]) translate([200 * i, 0]) tray_at(name, (trays[i] + trays[i + 1]) / 2);
  for (i = [0 : len(lid_levels) - 2]) translate([200 * (i + len(trays) - 1), 0])
    lid_at(name, (lid_levels[i] + lid_levels[i + 1]) / 2);
}

module drawing(name) {
  s = size(name);
  echo(size = s);
  front(name);
  translate([0, -s[1] - 3 * thick - 5]) difference() {
    outside(name);
    for (stand = stands(name)) translate(stand[0]) circle(d = stand[1] + 0.8);
  }
  for (wall = [0 : 3]) {
    along = wall % 2 == 0 ? s[0] + 2 * thick : s[1];
    translate([s[0] + 3 * thick + 5, wall * (s[2] + 8)]) difference() {
      square([along, s[2]]);
      for (one = glands(name)) if (one[0] == wall)
        translate([one[1] + (wall % 2 == 0 ? thick : 0), s[2] / 2]) circle(d = gland);
    }
  }
}

if (part == "lid") lid(box);
if (part == "tray") tray(box);
if (part == "drawing") drawing(box);
if (part == "clash") clash(box);
if (part == "layers") layers(box);

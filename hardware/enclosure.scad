// Four boxes, printed or (the fronts and sides) cut from plywood: a table's panel with Pi and HAT, the dice box,
// the bell box, the 12 V box. Each is a tray and a lid; no part is over 180 mm.
//   openscad -o lid.stl  -D 'box="panel"' -D 'part="lid"' enclosure.scad      box: panel, dice, bell, horn
//   openscad -o tray.stl -D 'box="panel"' -D 'part="tray"' enclosure.scad
//   openscad -o lid.svg  -D 'box="panel"' -D 'part="drawing"' enclosure.scad  for a laser cutter: lid, floor, sides
// part = "clash" is what the boards and the box would share: nothing, a test says.
// The holes and the boards come from pins.toml and the boards' code: `python hardware/draw.py` writes panel-holes.scad.
include <panel-holes.scad>

box = "panel";
part = "lid";     // lid, tray, drawing or clash
clearance = 0.4;  // between parts that slide into each other; more for a printer that is not exact (mm)
thick = 3;        // of lid and walls (mm)
gland = 12.5;     // hole of a PG7 gland (mm)
pillar = 9;       // in each corner, for a screw of 3 x 12 mm
lip = 3;          // of the lid, into the tray
$fn = 32;

// For each box: inner size; boards with their lower left corner and the height of the floor's stands; holes of the
// lid; glands as [wall 0 to 3 from the front against the clock, along it]; words on the lid.
function size(name) =
  name == "panel" ? [panel[0] - 2 * thick, panel[1] - 2 * thick, 70] :
  name == "dice" ? [126, 170, 52] :
  name == "bell" ? [150, 76, 38] : [170, 124, 72];
function boards_in(name) =
  name == "panel" ? [[hat, [50, 26], 6], [pi, [50, 26], 6]] :
  name == "dice" ? [[dice_board, [13, 78], 6]] :
  name == "bell" ? [[bell_board, [32, 12], 6]] : [[bell_board, [14, 62], 6]];
function glands(name) =
  name == "panel" ? [[2, 40], [2, 85], [2, 130]] :
  name == "dice" ? [[0, 30]] :
  name == "bell" ? [[3, 38], [1, 24], [1, 52]] : [[1, 20], [1, 50], [1, 90], [3, 90]];
function lid_holes(name) =
  name == "panel" ? [for (hole = holes) if (hole[2] > 4) hole] :
  name == "dice" ? concat([for (at = pips) [at[0] + 13 + thick, at[1] + 78 + thick, 5]],
                          [[63 + thick, 36 + thick, 30]]) :
  name == "bell" ? [[130, 20, 12]] : [[150, 30, 12], [120, 30, 20]];
function words(name) =
  name == "panel" ? names :
  name == "dice" ? [[63 + thick, 12 + thick, 6, "ROLL"]] :
  name == "bell" ? [[75, 60, 8, "BELL"], [130, 32, 5, "ARM"]] :
  [[60, 110, 8, "HORN 12 V"], [150, 42, 5, "ARM"], [120, 46, 5, "OFF"]];

module outside(name) { square([size(name)[0] + 2 * thick, size(name)[1] + 2 * thick]); }
module inside(name) { translate([thick, thick]) square([size(name)[0], size(name)[1]]); }
module corners(name) {
  s = size(name);
  for (x = [thick, thick + s[0] - pillar], y = [thick, thick + s[1] - pillar]) translate([x, y]) children();
}
module screws(name, d) { corners(name) translate([pillar / 2, pillar / 2]) circle(d = d); }

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

module lid(name, named = true) {
  linear_extrude(named ? thick - 0.6 : thick) front(name);
  if (named) translate([0, 0, thick - 0.6]) linear_extrude(0.6) difference() { front(name); print(name); }
  translate([0, 0, -lip]) linear_extrude(lip + 0.01) rim(name);
}

module stand(at, high, hole) {
  translate([at[0], at[1], 0]) difference() {
    cylinder(d = 6, h = thick + high);
    translate([0, 0, thick]) cylinder(d = hole, h = high + 1);
  }
}

module tray(name) {
  s = size(name);
  difference() {
    union() {
      linear_extrude(thick) outside(name);
      linear_extrude(thick + s[2]) difference() { outside(name); inside(name); }
      linear_extrude(thick + s[2]) corners(name) square(pillar);
    }
    translate([0, 0, thick + s[2] - 14]) linear_extrude(15) screws(name, 2.5);
    for (one = glands(name)) at_wall(name, one) cylinder(d = gland, h = thick + 2);
  }
  for (entry = boards_in(name), hole = entry[0][2])
    stand([thick + entry[1][0] + hole[0], thick + entry[1][1] + hole[1]], entry[2] + hole[3], hole[2] - 0.5);
}
module at_wall(name, one) {
  s = size(name);
  if (one[0] == 0) translate([thick + one[1], thick + 1, thick + s[2] / 2]) rotate([90, 0, 0]) children();
  if (one[0] == 2) translate([thick + one[1], s[1] + 2 * thick + 1, thick + s[2] / 2]) rotate([90, 0, 0]) children();
  if (one[0] == 1) translate([s[0] + thick - 1, thick + one[1], thick + s[2] / 2]) rotate([0, 90, 0]) children();
  if (one[0] == 3) translate([-1, thick + one[1], thick + s[2] / 2]) rotate([0, 90, 0]) children();
}

// What a board takes: its plate, and each part's body with the clearance around it.
module filled(entry) {
  translate([thick + entry[1][0], thick + entry[1][1], thick + entry[2] + entry[0][1]]) {
    translate([-clearance, -clearance, 0.01])
      cube([entry[0][0][0] + 2 * clearance, entry[0][0][1] + 2 * clearance, 1.6]);
    for (body = entry[0][3]) translate([body[0] - clearance, body[1] - clearance, 1])
      cube([body[2] + 2 * clearance, body[3] + 2 * clearance, 0.6 + body[4] + clearance]);
  }
}
// Behind the lid: buttons and what is fixed in its holes, as deep as they are.
module behind(name) {
  z = thick + size(name)[2];
  for (hole = lid_holes(name)) translate([hole[0], hole[1], z - deep(hole[2])]) cylinder(d = hole[2] - 0.1, h = deep(hole[2]));
}
function deep(d) = d > 20 ? 34 : d > 10 ? 30 : 1;

module clash(name) {
  for (entry = boards_in(name)) intersection() {
    filled(entry);
    union() {
      tray(name);
      translate([0, 0, thick + size(name)[2]]) lid(name, false);
      behind(name);
    }
  }
  intersection() { behind(name); tray(name); }
}

module drawing(name) {
  s = size(name);
  front(name);
  translate([0, -s[1] - 3 * thick - 5]) difference() {
    outside(name);
    for (entry = boards_in(name), hole = entry[0][2])
      translate([thick + entry[1][0] + hole[0], thick + entry[1][1] + hole[1]]) circle(d = hole[2] + 0.3);
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

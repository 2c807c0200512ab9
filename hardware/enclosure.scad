// The box of a table's panel, printed or as a drawing for plywood: the front with its holes, and the tray behind it.
// The holes come from pins.toml: `python hardware/draw.py` writes panel-holes.scad.
//   openscad -o front.stl -D 'part="front"' enclosure.scad      openscad -o tray.stl -D 'part="tray"' enclosure.scad
//   openscad -o front.svg -D 'part="drawing"' enclosure.scad    for a laser cutter
include <panel-holes.scad>

part = "front";  // front, tray or drawing
thick = 3;       // of front and walls (mm)
depth = 60;      // room behind the front for buttons, lights board and cable gland
gland = 12.5;    // hole of a PG7 gland
$fn = 64;

module outline() {
  difference() {
    square(panel);
    for (hole = holes) translate([hole[0], hole[1]]) circle(d = hole[2]);
    translate([window[0], window[1]]) square([window[2], window[3]]);
  }
}

module post(x, y) {
  translate([x, y, 0]) difference() {
    cylinder(d = 9, h = depth - thick);
    translate([0, 0, depth - 20]) cylinder(d = 2.5, h = 20);  // for a screw of 3 x 12 mm
  }
}

module tray() {
  difference() {
    cube([panel[0], panel[1], depth - thick]);
    translate([thick, thick, thick]) cube([panel[0] - 2 * thick, panel[1] - 2 * thick, depth]);
    translate([panel[0] / 2, panel[1] + 1, depth / 2]) rotate([90, 0, 0]) cylinder(d = gland, h = thick + 2);
  }
  for (x = [7.5, panel[0] - 7.5], y = [7.5, panel[1] - 7.5]) post(x, y);
}

if (part == "front") linear_extrude(thick) outline();
if (part == "tray") tray();
if (part == "drawing") outline();

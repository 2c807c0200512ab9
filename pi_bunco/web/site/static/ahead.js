// A phone table without a network: the page's numbers, and the taps since. What these do not tell (a ringing throw, a
// wipe, a roll-off, another's turn) is unknown: the page shows only that it is kept.
globalThis.ahead = (view, taps) => {
  "use strict";
  const points = [...view.points];
  const sides = points.length - 1;
  const each = [...view.each];
  const rolls = [...view.rolls]; // oldest first: seat, key, points, whether the turn went on
  let { seat } = view;
  let done = false;

  const keyOf = (dice) => {
    const hits = dice.filter((face) => face === view.target).length;
    if (hits) return ["one", "two", "bunco"][hits - 1];
    return dice.every((face) => face === dice[0]) ? "mini" : "miss";
  };
  const score = (by, worth) => {
    points[by & sides] += worth;
    each[by] += worth;
  };

  for (const { what, dice, round } of taps) {
    if (what === "help") continue;
    if (round !== view.round || done) return null;
    if (what === "undo") {
      const last = rolls.pop();
      if (view.bell || (!last && !view.whole)) return null;
      if (last) score((seat = last[0]), -last[2]);
      continue;
    }
    const key = what === "dice" && view.dice ? keyOf(dice) : what;
    const known = view.keys[key];
    if (!known) return null;
    const { worth, on, rings } = known;
    const had = view.player ? each[seat] : points[seat & sides];
    if (!view.bell && (rings || (worth && view.goal && had + worth >= view.goal))) return null;
    rolls.push([seat, key, worth, on]);
    score(seat, worth);
    if (on) continue;
    done = view.bell && view.ends[seat];
    seat = view.next[seat];
  }
  let first = rolls.length;
  while (first && rolls[first - 1][0] === seat && rolls[first - 1][3]) first--;
  if (done || (!first && !view.whole)) return null;
  return { seat, points, last: rolls.at(-1) || null, turn: rolls.slice(first).map((roll) => roll[2]) };
};

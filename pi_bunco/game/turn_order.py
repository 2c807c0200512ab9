"""The order of the turns at a table."""

from functools import cache


@cache
def turn_order(
    first: int, ghosts: tuple[bool, ...], partner_twice: bool, skip_ghosts: bool = False
) -> tuple[int, ...]:
    """The seats 0-3 in the order of their turns, from `first` on.

    Under `partner_twice` a ghost's turn follows its partner's, so that a ghost does not begin; a team of two
    ghosts keeps its place. With `skip_ghosts` only people have turns, where there are any.
    """
    seats = tuple((first + n) & 3 for n in range(4))
    if skip_ghosts and not all(ghosts):
        return tuple(seat for seat in seats if not ghosts[seat])
    if not partner_twice:
        return seats
    led = [seat for seat in seats if ghosts[seat] and not ghosts[seat ^ 2]]
    order: list[int] = []
    for seat in seats:
        if seat not in led:
            order += [seat, seat ^ 2] if seat ^ 2 in led else [seat]
    return tuple(order)


@cache
def following(order: tuple[int, ...]) -> tuple[int, ...]:
    """By seat, the seat whose turn comes next; a seat without turns is its own."""
    after = dict(zip(order, [*order[1:], order[0]], strict=True))
    return tuple(after.get(seat, seat) for seat in range(4))

"""A hall on the host's laptop: what follows when one of its processes is ready or ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pi_bunco.errors import BuncoError
from pi_bunco.hall.hall import Finish, Hall, HallSettings, PageAddresses, Say, TellPages
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import LoopInbox, Stop, Tick, run
from pi_bunco.runtime.supervisor import ProcessEnded, ProcessReady, StartProcess, Supervisor
from pi_bunco.wire.topics import PHONES

HallEffect = StartProcess | TellPages | Say | Finish


class HallPlan:
    """Says what follows from what becomes of the processes; `step` is all it does."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self._supervisor = Supervisor(groups)
        self._announced = False

    def begin(self) -> Iterable[HallEffect]:
        """The first processes start."""
        return self._supervisor.begin()

    def step(self, message: object, now: float) -> Iterator[HallEffect]:
        """Yields what follows from `message`, which came at `now` (ms)."""
        match message:
            case ProcessReady(name):
                yield from self._ready(name, now)
            case ProcessEnded():
                yield self._ended(message, now)
            case Tick():
                yield from self._supervisor.due(now)

    def _ready(self, name: str, now: float) -> Iterator[HallEffect]:
        back = self._supervisor.was_ready(name)
        yield from self._supervisor.ready(name, now)
        if not self._announced and self._supervisor.all_were_ready:
            self._announced = True
            yield TellPages()
        elif back:
            yield Say(f"The {_called(name)} works again.")

    def _ended(self, ended: ProcessEnded, now: float) -> HallEffect:
        name, why = ended.name, ended.why
        called = _called(name)
        if not self._supervisor.ended(name, now):
            return Finish(f"The {called} does not start: {why}")
        if self._supervisor.was_ready(name):
            return Say(f"The {called} ended ({why}); it starts again, and nothing is lost.")
        return Say(f"The {called} does not start yet ({why}); it is tried again.")


def _called(name: str) -> str:
    return "program of the phone tables" if name == PHONES else name


class HallService:
    """The shell of `pi-bunco hall`: its processes work until a `Stop` is in the inbox."""

    def __init__(
        self,
        settings: HallSettings,
        clock: Clock,
        say: Callable[[str], None],
        welcome: Callable[[PageAddresses], None],
    ) -> None:
        """`welcome` is called once, when all is ready."""
        self.inbox = LoopInbox()
        self._hall = Hall(settings, self.inbox.put)
        self._plan = HallPlan(self._hall.groups)
        self._clock = clock
        self._say = say
        self._welcome = welcome
        self._why = ""

    def run(self) -> None:
        """Works; `BuncoError` if it cannot. Belongs in the main thread."""
        try:
            for effect in self._plan.begin():
                if report := self.perform(effect):
                    self.inbox.put(report)
            run(self.inbox, self._clock, self._plan.step, self.perform)
        finally:
            self._hall.close()
        if self._why:
            raise BuncoError(self._why)

    def perform(self, effect: HallEffect) -> object | None:
        """Carries out one effect; a broker that does not start is reported at once."""
        match effect:
            case StartProcess(name):
                return self._hall.start(name)
            case TellPages() if self._hall.pages:
                self._welcome(self._hall.pages)
            case Say(text):
                self._say(text)
            case Finish(why):
                self._why = why
                self.inbox.put(Stop())
        return None

"""Long campaigns that try to make sessiond lose a byte, hang, crash, or leak.

    make torture                       # every campaign, some minutes
    make torture CAMPAIGN=kills        # one of them
    make torture ROUNDS=100 SEED=7     # 100 times as many rounds, other random choices

A campaign is a module with `async def run(settings: Settings) -> Figures`, listed in
`campaigns.CAMPAIGNS`. It makes all random choices with `settings.random(...)`, so that a seed
repeats a run; works only below `settings.directory`; does `settings.rounds` times what takes about
a second; and raises `Violation` when a promise is broken: an internal error (-32603), no answer, a
small request that waits longer than 250 ms, a byte changed by looking, an acknowledged entry lost,
growth without end. `tests/test_torture.py` runs a short part of each with a fixed seed.

Every fault that a campaign finds gets a test of its own beside the code it was in.
"""

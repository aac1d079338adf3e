"""Long campaigns that try to make sessiond lose a byte, hang, crash, or leak.

    make torture                       # every campaign, some minutes
    make torture CAMPAIGN=kills        # one of them
    make torture ROUNDS=100 SEED=7     # 100 times as many rounds, other random choices

A campaign is a module with `async def run(settings: Settings) -> Figures`, listed in
`campaigns.CAMPAIGNS`. It makes all random choices with `settings.random(...)`, so that a seed
repeats a run; works only below `settings.directory`; runs `settings.rounds` rounds of about a
second; and raises `Violation` when a promise is broken: an internal error (-32603), no answer, a
small request that waits longer than 250 ms, a byte changed by reading, an acknowledged entry lost,
unlimited growth. `tests/test_torture.py` runs a short part of each with a fixed seed.

Every fault that a campaign finds gets its own test in the tests of the code concerned.
"""

"""An experiment: an application, data and evaluators in; scores with intervals, a comparison and a report out."""

import judgekit

DATA = [
    {
        "id": f"sum-{a}-{b}",
        "inputs": {"a": a, "b": b},
        "reference_outputs": str(a + b),
        "metadata": {"carry": a + b > 9},
    }
    for a in range(10)
    for b in range(0, 10, 3)
]


def forgets_to_carry(inputs: dict[str, int]) -> str:
    return str((inputs["a"] + inputs["b"]) % 10)


def carries(inputs: dict[str, int]) -> str:
    return str(inputs["a"] + inputs["b"])


def short(outputs: str) -> bool:
    return len(outputs) < 3


before = judgekit.evaluate(forgets_to_carry, DATA, [judgekit.exact_match, short], experiment="before")
after = judgekit.evaluate(carries, DATA, [judgekit.exact_match, short], experiment="after")

print(before.summary(by="carry"))
print(after.compare(before))
print(after.check("exact_match >= 0.95", "short == 100%"))
after.report("report.html", other=before)

"""What came out of a run of scripts/gpu, as Markdown."""
import datetime


def counts(results):
    """ "3 held, 1 failed, 2 not run", of checks."""
    states = [result["state"] for result in results if result["kind"] == "check"]
    return (f"{states.count('ok')} held, {states.count('failed')} failed, "
            f"{states.count('skipped')} not run")


def headline(why):
    """The line that tells most: of a traceback the last one, else the first,
    since what comes later may follow from it."""
    lines = why.splitlines()
    return lines[-1] if "Traceback" in why else lines[0]


def cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(rows):
    """A Markdown table of flat objects with the same keys."""
    keys = list(rows[0])
    lines = ["| " + " | ".join(keys) + " |", "|" + " --- |" * len(keys)]
    lines += ["| " + " | ".join(cell(row.get(key, "")) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def grouped(rows):
    """Runs of rows that have the same keys."""
    groups = []
    for row in rows:
        if not groups or list(groups[-1][0]) != list(row):
            groups.append([])
        groups[-1].append(row)
    return groups


def write(card, manifest, results):
    left = len(manifest["steps"]) - len(results)
    lines = [f"# {card['name']}", "",
             f"Checks: {counts(results)}" + (f"; {left} steps still to come" if left else "") + ".", "",
             f"Measured {datetime.date.today().isoformat()}, commit `{manifest['commit'][:12]}`"
             + (" with changes" if manifest["changed"] else "")
             + f", driver {card['driver_version']}, {card['memory.total']}, "
             f"kernels for {manifest['archs']}. Made by `scripts/gpu`.", "", "## Checks", "",
             "| check | result | seconds |", "| --- | --- | ---: |"]
    for result in results:
        if result["kind"] == "check":
            words = result["state"] + (f": {headline(result['why'])}" if "why" in result else "")
            lines.append(f"| {result['name']} | {words} | {result.get('seconds', '')} |")
    for result in results:
        if result["kind"] == "check" and not result.get("rows"):
            continue
        lines += ["", f"## {result['name']}", ""]
        if "why" in result:
            lines += [f"{result['state']}: {headline(result['why'])}", ""]
        for rows in grouped(result.get("rows", [])):
            lines += [table(rows), ""]
    return "\n".join(lines).rstrip() + "\n"

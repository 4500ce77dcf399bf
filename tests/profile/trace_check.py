"""What a trace in Chrome's JSON format has to be for Perfetto to show all of it (Perfetto's documentation, "Other
formats"): slices nest, flows bind to slices, times do not go back."""

import collections


def problems(trace):
    """Sentences; none for a good trace."""
    found = []
    slices = collections.defaultdict(list)
    flows = collections.defaultdict(list)
    counters = collections.defaultdict(list)
    asynchronous = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        track = (event["pid"], event["tid"])
        phase = event["ph"]
        if phase == "M":
            continue
        time = round(event["ts"] * 1000)
        if time < 0:
            found.append(f"an event is before the trace begins: {event}")
        if phase == "X":
            length = round(event["dur"] * 1000)
            if length < 0:
                found.append(f"a slice has a negative length: {event}")
            slices[track].append((time, time + length, event["name"]))
        elif phase in "stf":
            flows[event["cat"], event["id"]].append((phase, time, track))
        elif phase == "C":
            if len(event["args"]) != 1:
                found.append(f"a counter has several series: {event}")
            counters[event["pid"], event["name"]].append((time, event["args"]["value"]))
        elif phase in "be":
            asynchronous[event["pid"], event["cat"], event["id2"]["local"]].append((phase, time))
        elif phase != "i":
            found.append(f"an event of an unknown phase: {event}")
    for track, of_track in slices.items():
        if any(a[0] > b[0] for a, b in zip(of_track, of_track[1:])):
            found.append(f"slices of track {track} are not in order of time")
        around = []
        for begin, end, name in of_track:
            while around and around[-1] <= begin:
                around.pop()
            if around and end > around[-1]:
                found.append(f"'{name}' at {begin} of track {track} overlaps the slice before it")
            around.append(end)
    encloses = {track: sorted(of_track) for track, of_track in slices.items()}
    for flow, steps in flows.items():
        phases = "".join(phase for phase, _, _ in steps)
        if phases != "s" + "t" * (len(phases) - 2) + "f":
            found.append(f"flow {flow} has the steps {phases}")
        if any(a[1] > b[1] for a, b in zip(steps, steps[1:])):
            found.append(f"flow {flow} goes back in time")
        for _, time, track in steps:
            if not any(begin <= time <= end for begin, end, _ in encloses.get(track, [])):
                found.append(f"flow {flow} has a step at {time} without a slice on track {track}")
    for counter, values in counters.items():
        if any(a[0] > b[0] for a, b in zip(values, values[1:])):
            found.append(f"counter {counter} goes back in time")
        if any(value < 0 for _, value in values):
            found.append(f"counter {counter} is negative")
    for key, ends in asynchronous.items():
        if [phase for phase, _ in ends] != ["b", "e"] or ends[0][1] > ends[1][1]:
            found.append(f"asynchronous slice {key} is {ends}")
    return found

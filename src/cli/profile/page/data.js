// What the page holds of each run: a report, as `gantry profile --json` prints it, and timelines.

/** Bytes of base64 text. */
function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/**
 * The rows of a run's tracks. Each row is a list of slices that do not overlap, in order of time: when it begins and
 * ends, in ns since the run began, the index of its label, the number of its construct (0: none) and two sizes, of
 * copies the bytes, of kernels the teams and their threads. `covered[i]` is how long slices before i are together.
 */
function decodeTimelines(run, bytes) {
  let at = 0;
  const next = () => {
    let value = bytes[at++];
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let unit = 0x80;; unit *= 0x80) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a timeline ends too early');
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  };
  for (const timeline of run.timelines) {
    for (const track of timeline.tracks) {
      track.rows = track.rows.map(count => {
        const row = {
          count, begin: new Float64Array(count), end: new Float64Array(count), covered: new Float64Array(count + 1),
          label: new Uint32Array(count), construct: new Uint32Array(count),
          first: new Float64Array(count), second: new Float64Array(count)
        };
        let time = 0;
        for (let i = 0; i < count; ++i) {
          row.begin[i] = time += next();
          const length = next();
          row.end[i] = time += length;
          row.covered[i + 1] = row.covered[i] + length;
          row.label[i] = next();
          row.construct[i] = next();
          row.first[i] = next();
          row.second[i] = next();
          if (row.label[i] >= timeline.labels.length) throw new Error('a timeline names what is not there');
        }
        return row;
      });
    }
  }
}

function readRuns() {
  const reports = document.querySelectorAll('script.run');
  const timelines = document.querySelectorAll('script.timeline');
  return Array.from(reports, (block, i) => {
    const run = JSON.parse(block.textContent);
    decodeTimelines(run, decodeBase64(timelines[i].textContent));
    return run;
  });
}

/** 3.10 s, 410 ms, 12.3 us, 80 ns. */
function showTime(ns) {
  if (ns === 0) return '0';
  for (const [unit, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']]) {
    if (Math.abs(ns) >= unit) return Number((ns / unit).toPrecision(3)) + ' ' + name;
  }
  return Math.round(ns) + ' ns';
}

/** 8.39 MB, 4.1 kB, 512 B. */
function showBytes(bytes) {
  for (const [unit, name] of [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']]) {
    if (Math.abs(bytes) >= unit) return Number((bytes / unit).toPrecision(3)) + ' ' + name;
  }
  return bytes + ' B';
}

function showCount(count) {
  return count.toLocaleString('en');
}

/** An element with attributes, and children that are elements or text. Text is never read as markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter(child => child !== undefined && child !== null));
  return element;
}

// A run's timeline on a canvas: tracks of threads and queues, from the whole run down to nanoseconds. Drawing a row
// takes steps in proportion to the canvas's width, not to the number of slices.

const kRowHeight = 17;
const kTrackGap = 5;
const kRulerHeight = 20;
const kWidestNames = 190;
const kShortest = 50; // ns in view at most zoom
const kKinds = ['construct', 'wait', 'to', 'from', 'kernel', 'image'];

/** The first index from `from` on whose time is greater than `time`, in times that do not decrease. */
function firstAfter(times, time, from, count) {
  let step = 1;
  while (from + step < count && times[from + step] <= time) step *= 2; // what is looked for is mostly near
  let low = from, high = Math.min(from + step, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1; else high = middle;
  }
  return low;
}

/** Those slices of a row whose label is in `labels`, as a row. */
function subset(row, labels) {
  const indices = [];
  for (let i = 0; i < row.count; ++i) if (labels[row.label[i]]) indices.push(i);
  const pick = array => Float64Array.from(indices, i => array[i]);
  const part = {count: indices.length, begin: pick(row.begin), end: pick(row.end), label: pick(row.label)};
  part.covered = new Float64Array(part.count + 1);
  for (let i = 0; i < part.count; ++i) part.covered[i + 1] = part.covered[i] + part.end[i] - part.begin[i];
  return part;
}

class Timeline {
  constructor(run, page) {
    this.run = run;
    this.page = page;
    this.length = Math.max(kShortest, ...page.runs.map(({length}) => length)); // of two runs one scale
    this.from = 0; // what is in view, in ns
    this.to = this.length;
    this.lay();
    this.canvas = make('canvas', {role: 'img', 'aria-label': 'Timeline ' + run.name});
    this.context = this.canvas.getContext('2d');
    this.spacer = make('div');
    this.view = make('div', {class: 'view', tabindex: 0, role: 'group', 'aria-label': 'Timeline ' + run.name},
        this.canvas, this.spacer);
    this.tip = make('div', {class: 'tip'});
    this.detail = make('div', {class: 'detail faint'},
        'Wheel: zoom. Drag: move. Click: what a slice is, and what belongs to it. Double click: zoom to it. ' +
        'Keys: + − ← → 0; n and p: the next slice and the one before.');
    this.element = make('div', {class: 'timeline'}, this.view, this.detail, this.tip);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.view);
  }

  /** Says where each row lies. */
  lay() {
    this.rows = []; // {row, timeline, track, y}
    this.names = []; // {text, y, strong}
    let y = kRulerHeight;
    for (const timeline of this.run.timelines) {
      let group = null;
      for (const track of timeline.tracks) {
        if (track.rows.length === 0) continue;
        if (track.group !== group) {
          group = track.group;
          this.names.push({text: group, y, strong: true});
          y += kRowHeight;
        }
        this.names.push({text: track.name, y});
        for (const row of track.rows) {
          this.rows.push({row, timeline, track, y});
          y += kRowHeight;
        }
        y += kTrackGap;
      }
    }
    this.height = y;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.view.clientWidth;
    this.shown = Math.min(this.height, parseFloat(getComputedStyle(this.view).maxHeight));
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.shown * ratio);
    this.canvas.style.height = this.shown + 'px';
    this.spacer.style.height = Math.max(0, this.height - this.shown) + 'px';
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const probe = make('span');
    document.body.append(probe);
    this.colours = Object.fromEntries([...kKinds, 'text', 'faint', 'line', 'ground', 'raised'].map(name => {
      probe.style.color = `var(--${name})`; // what light-dark() comes to
      return [name, getComputedStyle(probe).color];
    }));
    probe.remove();
    this.font = '12px ' + style.fontFamily;
    this.draw();
  }

  /** The tracks' names have so much of the width. */
  get left() {
    return Math.min(kWidestNames, this.width * 0.3);
  }

  /** Pixels in a nanosecond. */
  get scale() {
    return (this.width - this.left) / (this.to - this.from);
  }

  /** Shows what is between two times, in ns since the run began. */
  zoom(from, to) {
    const span = Math.min(Math.max(to - from, kShortest), this.length);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, 0), this.length - span);
    this.to = this.from + span;
    this.soon();
  }

  /** Draws with the next frame. */
  soon() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.draw();
    });
  }

  zoomBy(factor, x) {
    const at = this.from + (x - this.left) / this.scale;
    this.zoom(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  drawRuler() {
    const {context, scale} = this;
    const least = 90 / scale;
    let step = 10 ** Math.ceil(Math.log10(least));
    if (step / 5 >= least) step /= 5;
    else if (step / 2 >= least) step /= 2;
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, this.width, kRulerHeight);
    for (let time = Math.ceil(this.from / step) * step; time < this.to; time += step) {
      const x = this.left + (time - this.from) * scale;
      context.fillStyle = this.colours.line;
      context.fillRect(x, 0, 1, this.shown);
      context.fillStyle = this.colours.faint;
      context.fillText(this.rulerText(time, step), x + 3, 13);
    }
  }

  /** As many digits as tell the ruler's marks from each other. */
  rulerText(time, step) {
    const [unit, name] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']].find(([unit]) => this.to >= unit) || [1, 'ns'];
    return (time / unit).toFixed(Math.max(0, Math.ceil(Math.log10(unit / step)))) + ' ' + name;
  }

  drawRow(row, labels, y, names) {
    const {context, scale, from, to, left: namesEnd} = this;
    const height = kRowHeight - 2;
    let i = firstAfter(row.end, from, 0, row.count);
    while (i < row.count && row.begin[i] < to) {
      const left = Math.max(namesEnd, namesEnd + (row.begin[i] - from) * scale);
      const right = Math.min(this.width, namesEnd + (row.end[i] - from) * scale);
      context.fillStyle = this.colours[labels[row.label[i]].kind];
      if (right - left >= 1) {
        context.fillRect(left, y, right - left - (right - left > 4 ? 1 : 0), height);
        if (names && right - left > 40) this.drawName(labels[row.label[i]].text, left + 3, y + 12, right - left - 6);
        ++i;
        continue;
      }
      // One column of pixels for what is in it, as dense as that covers it.
      const end = from + (Math.floor(left) + 1 - namesEnd) / scale;
      const next = Math.max(i + 1, firstAfter(row.begin, end, i, row.count));
      const part = (row.covered[next] - row.covered[i]) * scale;
      context.globalAlpha = Math.min(1, Math.max(0.25, part));
      context.fillRect(Math.floor(left), y, 1, height);
      context.globalAlpha = 1;
      i = next;
    }
  }

  drawName(text, x, y, width) {
    const {context} = this;
    const letters = Math.floor(width / 6.2);
    context.fillStyle = this.colours.text;
    context.fillText(text.length > letters ? text.slice(0, Math.max(0, letters - 1)) + '…' : text, x, y);
  }

  draw() {
    if (!this.width) return;
    const {context} = this;
    const top = this.view.scrollTop;
    context.font = this.font;
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, this.width, this.shown);
    this.drawRuler();
    context.save();
    context.beginPath();
    context.rect(this.left, kRulerHeight, this.width, this.shown);
    context.clip();
    for (const place of this.rows) {
      const y = place.y - top;
      if (y < kRulerHeight - kRowHeight || y > this.shown) continue;
      const marked = this.page.selected !== null;
      if (marked) context.globalCompositeOperation = 'source-over';
      this.drawRow(place.row, place.timeline.labels, y, !marked);
      if (marked) {
        context.globalAlpha = 0.75; // all is faint but what is selected
        context.fillStyle = this.colours.ground;
        context.fillRect(this.left, y, this.width, kRowHeight);
        context.globalAlpha = 1;
        this.drawRow(this.markedPart(place), place.timeline.labels, y, true);
      }
    }
    this.drawBelonging(top);
    context.restore();
    this.drawTrackNames(top);
  }

  drawTrackNames(top) {
    const {context} = this;
    context.save();
    context.beginPath();
    context.rect(0, kRulerHeight, this.left - 6, this.shown);
    context.clip();
    for (const {text, y, strong} of this.names) {
      context.fillStyle = strong ? this.colours.text : this.colours.faint;
      context.font = (strong ? '600 ' : '') + this.font;
      context.fillText(text, strong ? 6 : 16, y - top + 12);
    }
    context.restore();
  }

  /** The slices of a row that are at the selected place. */
  markedPart(place) {
    if (place.marked !== this.page.selected) {
      place.marked = this.page.selected;
      const labels = place.timeline.labels.map(label => label.position === place.marked);
      place.part = subset(place.row, labels);
    }
    return place.part;
  }

  /** Frames the slice that was clicked, and leads from its construct to its copies and its kernel. */
  drawBelonging(top) {
    if (!this.clicked) return;
    const {context, scale} = this;
    const x = time => this.left + (time - this.from) * scale;
    context.strokeStyle = this.colours.text;
    context.lineWidth = 1.5;
    const {place, i} = this.clicked;
    context.strokeRect(x(place.row.begin[i]), place.y - top, Math.max(1, x(place.row.end[i]) - x(place.row.begin[i])),
        kRowHeight - 2);
    context.lineWidth = 1;
    context.strokeStyle = this.colours.faint;
    const [first, ...others] = this.belonging.slice(0, 200);
    for (const other of others) {
      context.beginPath();
      context.moveTo(x(first.place.row.begin[first.i]), first.place.y - top + kRowHeight / 2);
      context.lineTo(x(other.place.row.begin[other.i]), other.place.y - top + kRowHeight / 2);
      context.stroke();
    }
  }

  /** The slice under the pointer: {place, i}, or null. */
  sliceAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (x < this.left || y < kRulerHeight) return null;
    const place = this.rows.find(({y: top}) => y + this.view.scrollTop >= top &&
        y + this.view.scrollTop < top + kRowHeight);
    if (!place) return null;
    const time = this.from + (x - this.left) / this.scale;
    const i = firstAfter(place.row.end, time, 0, place.row.count);
    const reach = 1.5 / this.scale; // short ones can be met, too
    if (i < place.row.count && place.row.begin[i] <= time + reach) return {place, i};
    return i > 0 && place.row.end[i - 1] >= time - reach ? {place, i: i - 1} : null;
  }

  describe({place: {row, timeline}, i}) {
    const label = timeline.labels[row.label[i]];
    const length = row.end[i] - row.begin[i];
    const lines = [label.text, `${showTime(length)}, begins at ${(row.begin[i] / 1e6).toFixed(3)} ms`];
    if (label.kind === 'to' || label.kind === 'from') {
      const rate = length > 0 ? `, ${(row.first[i] / length).toPrecision(3)} GB/s` : '';
      lines.push(showBytes(row.first[i]) + rate + (label.clause ? `, map(${label.clause})` : ''));
    } else if (row.first[i] > 0) {
      lines.push(`${showCount(row.first[i])} teams of ${showCount(row.second[i])} threads`);
    }
    return lines;
  }

  /** All slices of a construct, itself first. */
  slicesOf(construct, timeline) {
    const found = [];
    for (const place of this.rows) {
      if (construct === 0 || place.timeline !== timeline) continue;
      const {row} = place;
      for (let i = row.construct.indexOf(construct); i >= 0; i = row.construct.indexOf(construct, i + 1)) {
        found.push({place, i});
      }
    }
    return found;
  }

  choose(slice) {
    this.clicked = slice;
    if (!slice) {
      this.belonging = [];
      this.detail.replaceChildren();
      return this.soon();
    }
    const {place: {row, timeline}, i} = slice;
    const label = timeline.labels[row.label[i]];
    this.belonging = this.slicesOf(row.construct[i], timeline);
    const others = this.belonging.filter(other => other.place !== slice.place || other.i !== i).slice(0, 30);
    this.detail.classList.remove('faint');
    this.detail.replaceChildren(
        make('b', {}, label.text), ' ', this.describe(slice).slice(1).join('; '), ' ',
        label.position ? this.page.link(label.position, label.position.split('/').pop()) : '',
        ...others.flatMap(other => {
          const of = other.place.timeline.labels[other.place.row.label[other.i]];
          return [make('br'), make('button', {class: 'link', onclick: () => this.zoomTo(other)}, of.text), ' ',
            this.describe(other).slice(1).join('; ')];
        }));
    this.soon();
  }

  zoomTo({place: {row, y}, i}) {
    const length = Math.max(row.end[i] - row.begin[i], kShortest / 2);
    this.view.scrollTop = Math.min(this.view.scrollTop, y - kRulerHeight);
    if (y + kRowHeight > this.view.scrollTop + this.shown) this.view.scrollTop = y + kRowHeight - this.shown;
    this.zoom(row.begin[i] - length / 2, row.end[i] + length / 2);
  }

  /** Shows the first slice at a place in the source; false if there is none. */
  show(position) {
    for (const place of this.rows) {
      const i = place.row.label.findIndex(label => place.timeline.labels[label].position === position);
      if (i >= 0) {
        this.zoomTo({place, i});
        return true;
      }
    }
    return false;
  }

  listen() {
    const x = event => event.clientX - this.canvas.getBoundingClientRect().left;
    this.view.addEventListener('scroll', () => this.soon());
    this.canvas.addEventListener('wheel', event => {
      event.preventDefault();
      if (event.shiftKey) {
        this.view.scrollTop += event.deltaY || event.deltaX;
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const move = event.deltaX / this.scale;
        this.zoom(this.from + move, this.to + move);
      } else {
        this.zoomBy(1.0015 ** event.deltaY, x(event));
      }
    }, {passive: false});
    let held = null; // where the pointer went down
    this.canvas.addEventListener('pointerdown', event => {
      this.canvas.setPointerCapture(event.pointerId);
      held = {x: event.clientX, y: event.clientY, from: this.from, to: this.to, top: this.view.scrollTop, moved: false};
    });
    this.canvas.addEventListener('pointermove', event => {
      if (held) {
        const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
        held.moved ||= Math.abs(dx) + Math.abs(dy) > 3;
        if (held.moved) {
          this.zoom(held.from - dx / this.scale, held.to - dx / this.scale);
          this.view.scrollTop = held.top - dy;
        }
      }
      const slice = held?.moved ? null : this.sliceAt(event);
      this.tip.style.display = slice ? 'block' : 'none';
      if (slice) {
        this.tip.textContent = this.describe(slice).join('\n');
        this.tip.style.left = Math.min(event.clientX + 14, window.innerWidth - this.tip.offsetWidth - 8) + 'px';
        this.tip.style.top = event.clientY + 16 + 'px';
      }
    });
    this.canvas.addEventListener('pointerup', event => {
      if (held && !held.moved) this.choose(this.sliceAt(event));
      held = null;
    });
    this.canvas.addEventListener('pointercancel', () => { held = null; });
    this.canvas.addEventListener('pointerleave', () => { this.tip.style.display = 'none'; });
    this.canvas.addEventListener('dblclick', event => {
      const slice = this.sliceAt(event);
      if (slice) this.zoomTo(slice);
    });
    this.view.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const move = (this.to - this.from) / 5;
      const middle = (this.width + this.left) / 2;
      const step = by => {
        const {place, i} = this.clicked ?? {place: this.rows[0], i: by > 0 ? -1 : 1};
        if (place && i + by >= 0 && i + by < place.row.count) {
          this.choose({place, i: i + by});
          this.zoomTo(this.clicked);
        }
      };
      const keys = {
        'n': () => step(1), 'p': () => step(-1),
        '+': () => this.zoomBy(0.6, middle), '=': () => this.zoomBy(0.6, middle), '-': () => this.zoomBy(1 / 0.6, middle),
        'ArrowLeft': () => this.zoom(this.from - move, this.to - move),
        'ArrowRight': () => this.zoom(this.from + move, this.to + move), '0': () => this.zoom(0, this.length)
      };
      if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    });
  }
}

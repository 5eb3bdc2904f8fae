// SPDX-License-Identifier: BSD-3-Clause
// What the pointer and the search do on the page. The drawing itself is in the file.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const network = document.getElementById("network");
  const tip = document.getElementById("tip");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const all = (selector) => [...document.querySelectorAll(selector)];
  const by = (name) => new Map(all(`[data-${name}]`).map((each) => [each.dataset[name], each]));
  const hosts = by("host"), boxes = by("box"), lines = by("line"), cells = by("pair");
  const whole = network.getAttribute("viewBox");

  const clusterOf = (box) => data.clusters.indexOf(box);

  function describe(target) {
    const { host, box, pair } = target.dataset;
    if (host !== undefined) {
      const [name, subnet] = data.hosts[host];
      return { text: `${name}\n${data.boxes[subnet]}`, boxes: [subnet] };
    }
    if (pair !== undefined) {
      const [one, two] = pair.split(" ").map(Number);
      const names = (one === two ? [one] : [one, two]).map((at) => data.boxes[data.clusters[at]]);
      const ends = [data.clusters[one], data.clusters[two]];
      return { text: `${data.pairs[one][two]}\n\n${names.join("\n\n")}`, boxes: ends, pair };
    }
    const text = [data.boxes[box]];
    data.lines.forEach(({ ends, text: figures }) => {
      if (!ends.includes(Number(box)) || text.length > 12) return;
      const other = data.boxes[ends[0] === Number(box) ? ends[1] : ends[0]].split("\n")[0];
      text.push(`${figures} to ${other}`);
    });
    return { text: text.join("\n"), boxes: [Number(box)], only: true };
  }

  function leave() {
    all(".near").forEach((each) => each.classList.remove("near"));
    tip.hidden = true;
  }

  function enter(event) {
    const target = event.target.closest("[data-host], [data-box], [data-pair]");
    leave();
    if (!target) return;
    const shown = describe(target);
    shown.boxes.forEach((box) => boxes.get(String(box)).classList.add("near"));
    data.lines.forEach(({ ends }, number) => {
      const near = shown.only || shown.boxes.length === 1
        ? ends.includes(shown.boxes[0])
        : shown.boxes.every((box) => ends.includes(box)) && shown.boxes[0] !== shown.boxes[1];
      if (near) lines.get(String(number)).classList.add("near");
    });
    const at = shown.pair ?? `${clusterOf(shown.boxes[0])} ${clusterOf(shown.boxes[0])}`;
    cells.get(at)?.classList.add("near");
    tip.textContent = shown.text;
    tip.hidden = false;
    tip.style.left = `${Math.min(event.clientX + 14, Math.max(0, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.min(event.clientY + 14, Math.max(0, innerHeight - tip.offsetHeight - 8))}px`;
  }
  document.addEventListener("pointerover", enter);

  function find() {
    const wanted = search.value.trim().toLowerCase();
    let hits = 0;
    hosts.forEach((each, host) => {
      const hit = wanted !== "" && data.hosts[host][0].toLowerCase().includes(wanted);
      each.classList.toggle("hit", hit);
      hits += hit;
    });
    network.classList.toggle("searching", wanted !== "");
    found.textContent = wanted === "" ? "" : `${hits} of ${data.hosts.length} hosts`;
  }

  const view = () => network.getAttribute("viewBox").split(" ").map(Number);
  const show = (...area) => network.setAttribute("viewBox", area.map((each) => each.toFixed(3)).join(" "));

  function showHits() {
    const areas = all(".host.hit").map((each) => each.getBBox());
    if (!areas.length) return;
    const left = Math.min(...areas.map((each) => each.x)) - 4;
    const top = Math.min(...areas.map((each) => each.y)) - 4;
    const right = Math.max(...areas.map((each) => each.x + each.width)) + 4;
    const bottom = Math.max(...areas.map((each) => each.y + each.height)) + 4;
    show(left, top, right - left, bottom - top);
  }

  function reset() {
    search.value = "";
    find();
    network.setAttribute("viewBox", whole);
  }

  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") showHits();
    if (event.key === "Escape") reset();
  });
  document.getElementById("all").addEventListener("click", reset);

  /* Where the pointer is, in the drawing's own lengths. */
  function place(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(network.getScreenCTM().inverse());
  }
  network.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300)));
    const [left, top, width, height] = view();
    show(x - factor * (x - left), y - factor * (y - top), factor * width, factor * height);
  }, { passive: false });
  let held = null;
  network.addEventListener("pointerdown", (event) => { held = place(event); });
  addEventListener("pointerup", () => { held = null; });
  network.addEventListener("pointermove", (event) => {
    if (!held) return;
    const { x, y } = place(event);
    const [left, top, width, height] = view();
    show(left + held.x - x, top + held.y - y, width, height);
  });

  // page.html#NAME opens with this search.
  search.value = new URLSearchParams(`of=${location.hash.slice(1)}`).get("of");
  find();
})();

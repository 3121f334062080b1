import { equal, ok } from './assert.js';

const TEXTS = ['ink', 'soft', 'accent', 'online', 'degraded', 'offline', 'failed', 'stalled', 'paused', 'awaiting'];
const APART = ['online', 'degraded', 'offline', 'failed', 'stalled'];
/** What eyes without one of the three kinds of cones see, as matrices of linear RGB (Machado, Oliveira and Fernandes, 2009). */
const BLINDNESS = {
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};

/** Returns a colour of tokens.css in a theme, as linear RGB from 0 to 1. */
function colour(name, theme) {
  document.documentElement.dataset.theme = theme;
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(--${name})`;
  const parts = getComputedStyle(probe).color.match(/^rgb\((\d+), (\d+), (\d+)\)$/);
  probe.remove();
  delete document.documentElement.dataset.theme;
  ok(parts, `--${name} is a colour`);
  return parts.slice(1).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
}

const sum = (row, parts) => row.reduce((total, one, i) => total + one * parts[i], 0);
const light = (rgb) => sum([0.2126, 0.7152, 0.0722], rgb);
const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);

function lab(rgb) {
  const [x, y, z] = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]].map((row) => sum(row, rgb))
    .map((part) => part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

export function textIsReadOnThePage() {
  const weak = [['light', 5.5], ['dark', 7]].flatMap(([theme, least]) => TEXTS
    .map((name) => [theme, name, contrast(colour(name, theme), colour('bg', theme))]).filter(([, , found]) => found < least));
  equal(weak, []);
}

export function alarmsStandOutOnTheMap() {
  const weak = ['light', 'dark'].flatMap((theme) => APART.slice(1)
    .map((name) => [theme, name, contrast(colour(`map-${name}`, theme), colour('map-online', theme))]).filter(([, , found]) => found < 3));
  equal(weak, []);
}

export function statusesDifferForEachKindOfColourBlindness() {
  const near = [];
  for (const theme of ['light', 'dark']) {
    for (const prefix of ['', 'map-']) {
      for (const [kind, matrix] of Object.entries(BLINDNESS)) {
        const seen = APART.map((name) => matrix.map((row) => Math.min(1, Math.max(0, sum(row, colour(prefix + name, theme))))));
        APART.forEach((name, i) => APART.slice(0, i).forEach((other, j) => {
          const distance = Math.hypot(...lab(seen[i]).map((part, k) => part - lab(seen[j])[k]));
          if (distance < 14) {
            near.push(`${theme} ${prefix}: ${name} and ${other}, ${kind}: ${distance}`);
          }
        }));
      }
    }
  }
  equal(near, []);
}

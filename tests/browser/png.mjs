// Small pictures: a screenshot with few colours, as a PNG with a palette.
// In: a page to decode with, a PNG. Out: a PNG.
import { crc32, deflateSync } from "node:zlib";

/** So many colours; as many as a palette holds. */
const MOST = 256;

export async function small(page, png) {
  const { width, height, base64 } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let at = 0; at < data.length; at += 65536) text += String.fromCharCode(...data.subarray(at, at + 65536));
    return { width: image.width, height: image.height, base64: btoa(text) };
  }, png.toString("base64"));
  const pixels = Buffer.from(base64, "base64");
  const palette = paletteOf(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = palette.place((y * width + x) * 4);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", header), chunk("PLTE", palette.bytes), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The most frequent colours, and for each colour the place of the nearest of them. */
function paletteOf(pixels) {
  const colour = (at) => (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) counts.set(colour(at), (counts.get(colour(at)) ?? 0) + 1);
  const best = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST).map(([found]) => found);
  const parts = (value) => [value >> 16, (value >> 8) & 255, value & 255];
  const known = new Map(best.map((value, place) => [value, place]));
  const nearest = (value) => {
    const [r, g, b] = parts(value);
    const far = best.map((other) => {
      const [red, green, blue] = parts(other);
      return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    });
    return far.indexOf(Math.min(...far));
  };
  const place = (at) => {
    const value = colour(at);
    if (!known.has(value)) known.set(value, nearest(value));
    return known.get(value);
  };
  return { bytes: Buffer.from(best.flatMap(parts)), place };
}

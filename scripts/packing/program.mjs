// Packs programs that need nothing else, such as those of Go, as an image without an engine.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER } from './base.mjs';
import { packImage } from './image.mjs';

/** @param layer Directory with the root of the image, its programs in /bin; removed afterwards. */
export async function packProgram({ layer, name, out, entry, command = [] }) {
  mkdirSync(join(layer, 'etc'), { recursive: true });
  writeFileSync(join(layer, 'etc', 'passwd'), `nonroot:x:${USER}:${USER}:nonroot:/data:/sbin/nologin\n`);
  // There for runs without volumes: with them, the root may be read-only.
  for (const place of ['data', 'tmp'].map((each) => join(layer, each))) {
    mkdirSync(place);
    chmodSync(place, 0o1777);
  }
  const env = ['PATH=/bin', 'HOME=/data'];
  const config = { User: `${USER}:${USER}`, WorkingDir: '/data', Env: env, Entrypoint: [entry], Cmd: command };
  await packImage({ name, layers: [layer], config, out });
  rmSync(layer, { recursive: true });
}

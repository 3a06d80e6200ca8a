import { frame, type RollupNode, streamRoute } from '@switchyard/rollup/node';
import type { AnyRoute } from '@switchyard/service/api';
import { texts, textsFrom } from '../tables.ts';
import { textJson } from './text-json.ts';

const MAX_TEXTS = 200;

/** Each message, once committed. */
export function messageStream(node: RollupNode): AnyRoute {
  return streamRoute<bigint>(node, {
    url: '/v1/streams/messages',
    id: 'streamMessages',
    summary: 'Each message, once committed',
    description: 'Events `message`, with the id of the message as id',
    ids: '[0-9]{1,19}',
    from(lastId) {
      const count = texts.count(node.view.snapshot);
      const next = lastId === undefined ? count : BigInt(lastId) + 1n;
      return next > count ? count : next;
    },
    getKey: String,
    read(next) {
      const found = textsFrom(node.view.snapshot, next, MAX_TEXTS);
      const frames = found.map((text) => frame('message', textJson(text), text.id));
      return found.length === 0 ? undefined : { frames: frames.join(''), next: next + BigInt(found.length) };
    },
  });
}

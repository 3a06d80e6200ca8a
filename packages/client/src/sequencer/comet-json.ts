import type { Input } from '@switchyard/service/input';

/** One event of a transaction. Names of attributes may repeat. */
export interface TxEvent {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

export function txEvent(answer: Input): TxEvent {
  // A bundle has an event for each of its hundreds of actions, so fields that need no error message are read without a path.
  const { value: event } = answer;
  if (isTxEvent(event)) {
    return { type: event.type, attributes: event.attributes.map(({ key, value }) => ({ key, value })) };
  }
  const attributes = answer.at('attributes').list();
  return {
    type: answer.at('type').text(),
    attributes: attributes.map((each) => ({
      key: each.at('key').text(),
      value: each.at('value').optional((value) => value.text()) ?? '',
    })),
  };
}

function isTxEvent(value: unknown): value is TxEvent {
  if (typeof value !== 'object' || value === null || !('type' in value && 'attributes' in value)) return false;
  return typeof value.type === 'string' && Array.isArray(value.attributes) && value.attributes.every(isAttribute);
}

function isAttribute(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    'value' in value &&
    typeof value.key === 'string' &&
    typeof value.value === 'string'
  );
}

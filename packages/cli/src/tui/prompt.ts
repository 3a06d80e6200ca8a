import { ACTS, only, type Updated } from './acting.ts';
import { completed, parseCommand } from './command-line.ts';
import type { Key } from './keys.ts';
import type { Model, Prompt } from './model.ts';

/** No pattern, no service and no command is as long. */
const MAX_TYPED = 1_000;

/** The next state when a key is pressed while something is typed. */
export function typed(model: Model, prompt: Prompt, key: Key): Updated {
  const edited = (text: string) => only({ ...model, prompt: { ...prompt, text, problem: undefined } });
  if ('char' in key) return edited((prompt.text + key.char).slice(0, MAX_TYPED));
  switch (key.name) {
    case 'escape':
      return only({ ...model, prompt: undefined });
    case 'backspace':
      return edited([...prompt.text].slice(0, -1).join(''));
    case 'tab':
      return prompt.kind === 'command' ? edited(completed(model, prompt.text)) : only(model);
    case 'enter':
      return entered({ ...model, prompt: undefined }, prompt);
    default:
      return only(model);
  }
}

function entered(model: Model, prompt: Prompt): Updated {
  const { kind, text } = prompt;
  if (kind !== 'command') return ACTS[kind](model, { argument: text });
  if (text.trim() === '') return only(model);
  const command = parseCommand(model, text);
  if (!command.ok) return only({ ...model, prompt: { ...prompt, problem: command.reason } });
  return ACTS[command.action](model, { argument: command.argument });
}

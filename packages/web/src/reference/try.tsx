import { useRef, useState } from 'react';
import { Form } from '../ui/form.tsx';
import type { Call, Parameter } from './document.ts';
import type { Values } from './samples.ts';
import { type Shown, send } from './send.ts';

interface TryProps {
  readonly call: Call;
  readonly first: Values;
  /** Called with the values of the form when they change. */
  readonly changed: (values: Values) => void;
}

/** A form that sends the call, and the answer. */
export function Try({ call, first, changed }: TryProps) {
  const [shown, setShown] = useState<Shown>();
  const [running, setRunning] = useState<AbortController>();
  const newest = useRef<AbortController>(undefined);
  const submit = async (form: HTMLFormElement) => {
    newest.current?.abort();
    const own = new AbortController();
    newest.current = own;
    setRunning(own);
    // Only the newest call of a form shows its answer.
    await send(call, formValues(form), own.signal, (each) => newest.current === own && setShown(each));
    if (newest.current === own) setRunning(undefined);
  };
  const id = `${call.operationId}-body`;
  return (
    <details className="try card">
      <summary>Try it</summary>
      <Form submit={submit} onInput={({ currentTarget }) => changed(formValues(currentTarget))}>
        {call.parameters.map((each) => (
          <Input key={each.name} call={call} parameter={each} value={first.parameters[each.name] ?? ''} />
        ))}
        {first.body !== undefined && (
          <div className="field">
            <label htmlFor={id}>Body</label>
            <textarea id={id} rows={6} spellcheck={false} defaultValue={first.body} />
          </div>
        )}
        <p className="row">
          <button type="submit">Send</button>
          <button type="button" className="plain" hidden={running === undefined} onClick={() => running?.abort()}>
            Stop
          </button>
          <span role="status">{shown?.status}</span>
        </p>
      </Form>
      {shown !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
        <pre className="answer" tabIndex={0}>
          {shown.answer}
        </pre>
      )}
    </details>
  );
}

function formValues(form: HTMLFormElement): Values {
  const texts = Array.from(form.querySelectorAll('input'), ({ name, value }) => [name, value]);
  return { parameters: Object.fromEntries(texts), body: form.querySelector('textarea')?.value };
}

interface InputProps {
  readonly call: Call;
  readonly parameter: Parameter;
  readonly value: string;
}

function Input({ call, parameter: { name, required, schema }, value }: InputProps) {
  const id = `${call.operationId}-${name}`;
  const hint = schema.default === undefined ? (required ? '' : 'optional') : String(schema.default);
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        name={name}
        defaultValue={value}
        placeholder={hint}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        required={required}
      />
    </div>
  );
}

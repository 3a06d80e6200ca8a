import { type ReactNode, useId } from 'react';

interface FieldProps {
  /** Id of the control, whose `aria-describedby` is this id with `-hint`. */
  readonly id: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** Text about the fault of the value. */
  readonly problem?: ReactNode;
  /** The control, and what stands next to it. */
  readonly children: ReactNode;
}

/** A field of a form with its name, and a hint. */
export function Field({ id, label, hint, problem, children }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">{children}</div>
      <div id={`${id}-hint`}>
        {problem !== undefined ? <p className="problem">{problem}</p> : hint !== undefined && <p>{hint}</p>}
      </div>
    </div>
  );
}

interface TextFieldProps {
  /** Name of its value in the form. */
  readonly name: string;
  readonly label: string;
  /** Shown while it is empty. */
  readonly example: string;
}

/** A field for a short text. */
export function TextField({ name, label, example }: TextFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label}>
      <input id={id} name={name} placeholder={example} autoComplete="off" spellcheck={false} />
    </Field>
  );
}

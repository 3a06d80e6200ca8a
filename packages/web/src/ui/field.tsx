import { type ComponentProps, type ReactNode, useId } from 'react';

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

/** Its children are further controls of its row. */
type TextFieldProps = Omit<ComponentProps<'input'>, 'type' | 'role' | keyof FieldProps> &
  Partial<FieldProps> & {
    readonly label: string;
    readonly type?: 'text' | 'password';
    /** Shown while it is empty. */
    readonly example?: string;
  };

/** A field for a short text, which no browser corrects. */
export function TextField({ type = 'text', label, hint, problem, example, children, ...input }: TextFieldProps) {
  const own = useId();
  const id = input.id ?? own;
  const kind = type as 'text'; // the types of the library tie each kind of field to roles, and this sets none
  return (
    <Field id={id} label={label} hint={hint} problem={problem}>
      <input
        aria-describedby={`${id}-hint`}
        aria-invalid={problem !== undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        placeholder={example}
        {...input}
        id={id}
        type={kind}
      />
      {children}
    </Field>
  );
}

import { TextField } from '../packages/web/src/ui/field.tsx';
import { Form } from '../packages/web/src/ui/form.tsx';
import type { User } from './messages.ts';
import type { Running } from './use-network.ts';

interface UserProps {
  readonly user: User;
  readonly network: Running;
}

/** View of one user: answers of queries, a form for each action, and the outcomes of transactions. */
export function UserView({ user, network: { actions, shown, send } }: UserProps) {
  return (
    <section className="card user" aria-label={user}>
      <h2>{user}</h2>
      <dl>
        {Object.entries(shown?.answers[user] ?? {}).map(([query, answer]) => (
          <div key={query}>
            <dt>{query}</dt>
            <dd>
              <code>{answer}</code>
            </dd>
          </div>
        ))}
      </dl>
      {actions.map((action) => (
        <Form
          key={action.name}
          submit={(form) => send({ kind: 'submit', user, action: action.name, fields: valuesIn(form) })}
        >
          {action.fields.map(({ name, hint, choices }) =>
            choices.length === 0 ? (
              <TextField key={name} name={name} label={name} hint={hint} />
            ) : (
              <label key={name}>
                {name}
                <select name={name}>
                  {choices.map((choice) => (
                    <option key={choice}>{choice}</option>
                  ))}
                </select>
              </label>
            ),
          )}
          <button type="submit" className="small">
            {action.name}
          </button>
        </Form>
      ))}
      <ul>
        {shown?.sent
          .filter((each) => each.user === user)

          .map(({ key, action, fields, state }) => (
            <li key={key}>
              <code>{[action, ...Object.entries(fields).map(([name, text]) => `${name}=${text}`)].join(' ')}</code>{' '}
              {state}
            </li>
          ))}
      </ul>
    </section>
  );
}

function valuesIn(form: HTMLFormElement): Record<string, string> {
  const values = Array.from(new FormData(form), ([name, value]) => [name, String(value).trim()] as const);
  return Object.fromEntries(values);
}

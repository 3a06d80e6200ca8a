import { Id as SharedId } from '../../ui/id.tsx';

interface IdProps {
  readonly text: string;
  /** View of the explorer that it leads to. */
  readonly to?: string | undefined;
  readonly label?: string | undefined;
  readonly isWhole?: boolean;
  /** Whether it belongs to an account, which the view shows too. */
  readonly isAccount?: boolean;
}

const OF_ACCOUNT = /\/(accounts|addresses|bridges)\//;

export const Id = ({ to, isAccount = OF_ACCOUNT.test(to ?? ''), ...of }: IdProps) => (
  <SharedId {...of} isAccount={isAccount} href={to && `#${to}`} />
);

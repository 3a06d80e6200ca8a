import { Hint } from '../parts/hint.tsx';

/* Help if a list is empty. */

export const NO_TRANSACTION = (
  <Hint page="chat" command="switchyard sequencer transfer ADDRESS --amount 5 --private-key-file FILE">
    No transaction was sent yet. Send an amount, or a transaction of a rollup, which comes in one too:
  </Hint>
);

export const NO_BRIDGE = (
  <Hint command="switchyard sequencer init-bridge-account --rollup-name NAME --private-key-file FILE">
    No account is a bridge to a rollup yet. Make one:
  </Hint>
);

export const NO_ROLLUP = (
  <Hint command="switchyard new my-rollup">No rollup has data in a block yet. Begin with one of your own:</Hint>
);

export const NO_MESSAGE = (
  <Hint page="chat" command='rollup-cli submit text "hello" alice --private-key-file FILE'>
    Nothing was written yet. Write the first message:
  </Hint>
);

export const NO_SUBMISSION = <Hint page="chat">No transaction of this rollup is in a block yet.</Hint>;

export const NO_DEPOSIT = (
  <Hint command="switchyard sequencer bridge-lock BRIDGE --amount 5 --destination-chain-address ADDRESS --private-key-file FILE">
    No deposit was made to this rollup yet. Bring an amount from the sequencer, through its bridge account:
  </Hint>
);

export const NO_WITHDRAWAL = (
  <Hint command="rollup-cli submit withdraw ADDRESS --amount 500 --asset ASSET --private-key-file FILE">
    No withdrawal from this rollup was paid yet. Take an amount back to the sequencer:
  </Hint>
);

export const NO_EVM_DEPOSIT = (
  <Hint command="switchyard evm deposit ADDRESS --amount 5">
    No deposit was made to this rollup yet. Bring an amount from the sequencer:
  </Hint>
);

export const NO_EVM_WITHDRAWAL = (
  <Hint command="switchyard evm withdraw --to ADDRESS --amount 0.5 --private-key-file FILE">
    Nothing was withdrawn yet. Take coins back to the sequencer:
  </Hint>
);

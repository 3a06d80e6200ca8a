import { showHidden } from '@switchyard/protocol/hidden-characters';

/** Text that a stranger may have written: what is hidden in it is shown by its code. */
export const shown = (text: string | null | undefined): string => showHidden(text ?? '');

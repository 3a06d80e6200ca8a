import { showHidden } from '@switchyard/protocol/hidden-characters';

/** Text that a stranger may have written: hidden characters are shown by their codes. */
export const shown = (text: string | null | undefined): string => showHidden(text ?? '');

import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';

const page = document.getElementById('page');
if (page === null) throw new Error('the page is incomplete');
createRoot(page).render(<Chat />);

// With it the page opens without a connection. Where it is not permitted, the page needs the node to open.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('./worker.js').catch(() => undefined);
}

import { mount } from '../ui/mount.ts';
import { Chat } from './chat.tsx';

mount(<Chat />);

// With it the page opens without a connection. If it is not permitted, the page needs the node to open. It loads the
// page's files once more, so it starts when they are here.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  const register = () => void navigator.serviceWorker.register('./worker.js').catch(() => undefined);
  if (document.readyState === 'complete') register();
  else window.addEventListener('load', register, { once: true });
}

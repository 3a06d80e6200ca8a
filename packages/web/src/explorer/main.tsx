import { mount } from '../ui/mount.ts';
import { Explorer } from './app.tsx';

mount(<Explorer />);

import { mount } from '../mount.ts';
import { Explorer } from './app.tsx';

mount(<Explorer />);

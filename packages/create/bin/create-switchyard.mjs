#!/usr/bin/env node
import { createSwitchyard } from '../dist/create-switchyard.js';

process.exitCode = await createSwitchyard(process.argv.slice(2));

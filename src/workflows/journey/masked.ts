export { masked } from '../../privacy/masked.js';

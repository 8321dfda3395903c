import fc from 'fast-check';

// One seed for each file of tests: where CI runs a failed test again, it meets the same values, and fails again.
fc.configureGlobal({ seed: Math.trunc(Math.random() * 2 ** 31) });

export default fc;

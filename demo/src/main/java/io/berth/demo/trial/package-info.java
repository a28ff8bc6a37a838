/**
 * Fault injection trials: three Berth instances and a rival scheduler place short-lived pods on one
 * cluster under faults, and the resulting history is verified.
 */
@NullMarked
package io.berth.demo.trial;

import org.jspecify.annotations.NullMarked;

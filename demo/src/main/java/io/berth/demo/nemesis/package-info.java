/**
 * Fault injection for Berth instances: a plan of faults derived from a seed, and the proxies and
 * processes that execute it.
 */
@NullMarked
package io.berth.demo.nemesis;

import org.jspecify.annotations.NullMarked;

/**
 * A deterministic simulation: the leader's code on one thread and a virtual clock, against an API
 * in memory that delays, repeats, and loses what it is asked, used by tenants drawn from a seed.
 */
@NullMarked
package io.berth.demo.simulation;

import org.jspecify.annotations.NullMarked;

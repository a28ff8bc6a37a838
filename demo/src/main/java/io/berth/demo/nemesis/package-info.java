/**
 * What disturbs Berths on purpose: a plan of faults made from a seed, and the proxies and processes
 * that carry it out.
 */
@NullMarked
package io.berth.demo.nemesis;

import org.jspecify.annotations.NullMarked;

/**
 * A soak: whole processes of Berth on an API server, used by tenants drawn from a seed and
 * disturbed by a nemesis, with promises that are checked all the time.
 */
@NullMarked
package io.berth.demo.soak;

import org.jspecify.annotations.NullMarked;

/**
 * The history check, which verifies the behavior of schedulers under fault injection from the
 * history of the API server. A {@link io.berth.demo.history.History} is recorded from watches, and
 * its rules are pure functions.
 */
@NullMarked
package io.berth.demo.history;

import org.jspecify.annotations.NullMarked;

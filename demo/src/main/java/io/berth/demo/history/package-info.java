/**
 * The history check: what an API server's own history says of schedulers that were disturbed while
 * they worked. A {@link io.berth.demo.history.History} is recorded from watches; the rules that
 * judge it are pure functions.
 */
@NullMarked
package io.berth.demo.history;

import org.jspecify.annotations.NullMarked;

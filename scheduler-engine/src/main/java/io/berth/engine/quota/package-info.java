/**
 * Queues of tenants: what each uses, what is guaranteed to it, what it borrows, who is next, and
 * which pods give way. See {@code docs/queues.md} for the rules.
 */
@NullMarked
package io.berth.engine.quota;

import org.jspecify.annotations.NullMarked;

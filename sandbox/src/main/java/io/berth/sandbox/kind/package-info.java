/**
 * What is particular to one kind: its defaults, what its create and update strategies reset, its
 * validation.
 */
@NullMarked
package io.berth.sandbox.kind;

import org.jspecify.annotations.NullMarked;

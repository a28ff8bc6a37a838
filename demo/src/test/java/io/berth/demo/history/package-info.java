/** The history check's rules, and short runs of it. */
@NullMarked
package io.berth.demo.history;

import org.jspecify.annotations.NullMarked;

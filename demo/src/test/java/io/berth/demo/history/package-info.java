/** The rules and files of the history check. */
@NullMarked
package io.berth.demo.history;

import org.jspecify.annotations.NullMarked;

/** The command line, what it checks before it starts, and the log's appearance. */
@NullMarked
package io.berth.operator.command;

import org.jspecify.annotations.NullMarked;

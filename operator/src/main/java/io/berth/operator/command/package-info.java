/** The command line, its preflight checks, and the log format. */
@NullMarked
package io.berth.operator.command;

import org.jspecify.annotations.NullMarked;

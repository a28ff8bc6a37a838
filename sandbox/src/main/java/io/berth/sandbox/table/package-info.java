/** The table formats that kubectl prints. */
@NullMarked
package io.berth.sandbox.table;

import org.jspecify.annotations.NullMarked;

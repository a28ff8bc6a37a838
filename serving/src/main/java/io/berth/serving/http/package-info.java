/** HTTP servers with limits on what one client can take from the others. */
@NullMarked
package io.berth.serving.http;

import org.jspecify.annotations.NullMarked;

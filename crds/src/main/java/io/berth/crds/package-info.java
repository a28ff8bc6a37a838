@NullMarked
package io.berth.crds;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.berth.demo.tenants;

import org.jspecify.annotations.NullMarked;

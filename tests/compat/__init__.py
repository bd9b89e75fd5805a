"""The test suites of the libraries that ``anypiece.compat`` stands in for, run against them and then against it."""

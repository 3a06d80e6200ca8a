module switchyard/da-light

go 1.26

module github.com/quayside/quayside/deploy

go 1.26.0
